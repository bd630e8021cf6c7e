# SPDX-License-Identifier: Apache-2.0
"""The part of JSON Schema (draft-07) that our schemas use, so that the tests need no package.

A keyword that is not known is an error: a schema must not promise what nobody checks.
"""
import re

ANNOTATIONS = {"$schema", "$id", "title", "description", "default", "definitions", "examples"}
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}


def as_list(value):
    return value if isinstance(value, list) else [value]


def errors(value, schema, root=None, path="$"):
    """All violations as "path: what"."""
    root = schema if root is None else root
    if schema is True:
        return []
    if schema is False:
        return [f"{path}: nothing is allowed here"]
    found = []
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS:
            continue
        if keyword == "$ref":
            target = root
            for step in rule.removeprefix("#/").split("/"):
                target = target[step]
            found += errors(value, target, root, path)
        elif keyword == "type":
            if not any(TYPES[name](value) for name in as_list(rule)):
                found.append(f"{path}: {value!r} is not of type {rule}")
        elif keyword == "const":
            if value != rule or isinstance(value, bool) != isinstance(rule, bool):
                found.append(f"{path}: {value!r} is not {rule!r}")
        elif keyword == "enum":
            if value not in rule:
                found.append(f"{path}: {value!r} is none of {rule}")
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                found.append(f"{path}: {value!r} does not match {rule}")
        elif keyword in ("minimum", "maximum"):
            if TYPES["number"](value) and (value < rule if keyword == "minimum" else value > rule):
                found.append(f"{path}: {value} is beyond the {keyword} {rule}")
        elif keyword in ("minItems", "minProperties", "minLength"):
            if isinstance(value, (list, dict, str)) and len(value) < rule:
                found.append(f"{path}: fewer than {rule}")
        elif keyword == "required":
            if isinstance(value, dict):
                found += [f"{path}: '{key}' is missing" for key in rule if key not in value]
        elif keyword == "properties":
            if isinstance(value, dict):
                for key, part in rule.items():
                    if key in value:
                        found += errors(value[key], part, root, f"{path}.{key}")
        elif keyword == "additionalProperties":
            if isinstance(value, dict):
                for key in value.keys() - schema.get("properties", {}).keys():
                    found += errors(value[key], rule, root, f"{path}.{key}")
        elif keyword == "items":
            if isinstance(value, list):
                for index, item in enumerate(value):
                    found += errors(item, rule, root, f"{path}[{index}]")
        elif keyword == "oneOf":
            fitting = [part for part in rule if not errors(value, part, root, path)]
            if len(fitting) != 1:
                found.append(f"{path}: fits {len(fitting)} of the alternatives instead of one")
        elif keyword == "anyOf":
            if all(errors(value, part, root, path) for part in rule):
                found.append(f"{path}: fits none of the alternatives")
        elif keyword == "allOf":
            for part in rule:
                found += errors(value, part, root, path)
        elif keyword == "not":
            if not errors(value, rule, root, path):
                found.append(f"{path}: is what it must not be")
        elif keyword == "if":
            branch = "else" if errors(value, rule, root, path) else "then"
            found += errors(value, schema.get(branch, True), root, path)
        elif keyword not in ("then", "else"):
            raise ValueError(f"the schema's keyword '{keyword}' is not known here")
    return found
