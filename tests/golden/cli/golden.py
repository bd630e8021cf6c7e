#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program as cases.txt says and compares what it prints with expected/<name>.txt.

usage: golden.py PROGRAM [--update] [NAME...]
"""
import difflib
import json
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 60


def read_cases():
    """(name, arguments) of each line `name: arguments`."""
    for line in (HERE / "cases.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, arguments = line.partition(":")
            yield name.strip(), shlex.split(arguments)


def without_host(text):
    """A JSON result without its host section; any other text as it is."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    if not isinstance(document, dict) or "schema_version" not in document:
        return text
    document["host"] = "left out"
    return json.dumps(document, indent=2) + "\n"


def run(program, arguments):
    done = subprocess.run([program, *arguments], cwd=HERE / "input", stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S)
    out = without_host(done.stdout.decode())
    err = done.stderr.decode()
    command = " ".join(map(shlex.quote, arguments))
    return (f"$ peerfab {command}\nexit code {done.returncode}\n"
            f"--- standard output\n{out}--- standard error\n{err}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    update = len(arguments) != len(sys.argv) - 1
    if not arguments:
        sys.exit(__doc__)
    program, wanted = str(pathlib.Path(arguments[0]).resolve()), arguments[1:]
    failures = 0
    names = set()
    for name, case in read_cases():
        names.add(name)
        if wanted and name not in wanted:
            continue
        actual = run(program, case)
        file = HERE / "expected" / f"{name}.txt"
        if update:
            if int(actual.split("exit code ")[1].split("\n")[0]) not in range(4):
                sys.exit(f"{name}: not accepted:\n{actual}")
            file.write_text(actual)
            continue
        expected = file.read_text() if file.exists() else ""
        if actual != expected:
            failures += 1
            sys.stdout.writelines(difflib.unified_diff(
                expected.splitlines(True), actual.splitlines(True), str(file), "now"))
    for file in (HERE / "expected").glob("*.txt"):
        if file.stem not in names:
            failures += 1
            print(f"{file}: no case of cases.txt has this name")
    print(f"{len(names)} cases, {failures} failures")
    sys.exit(1 if failures else 0)


main()
