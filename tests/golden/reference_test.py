#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generated pages in docs/ are what the program prints now. To accept what it prints:

    PEERFAB_UPDATE_GOLDEN=1 tests/golden/reference_test.py <build>/peerfab
"""
import difflib
import os
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"


def printed(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def main():
    program = sys.argv[1]
    kinds = [line.split()[0] for line in printed(program, "models").splitlines()
             if line and not line[0].isspace() and not line.startswith("One of them")]
    pages = {DOCS / "models" / f"{kind}.md": printed(program, "models", kind, "--format", "markdown")
             for kind in kinds}
    pages[DOCS / "schemas" / "scenario.schema.json"] = printed(program, "schema", "scenario")
    pages[DOCS / "schemas" / "result.schema.json"] = printed(program, "schema", "result")
    wrong = 0
    for path, now in pages.items():
        stored = path.read_text() if path.exists() else ""
        if stored == now:
            continue
        if os.environ.get("PEERFAB_UPDATE_GOLDEN"):
            path.write_text(now)
            continue
        wrong += 1
        sys.stdout.writelines(difflib.unified_diff(
            stored.splitlines(True), now.splitlines(True), str(path), "now"))
    stale = set((DOCS / "models").glob("*.md")) - set(pages)
    for path in stale:
        print(f"{path}: no such model")
    return 1 if wrong or stale or not kinds else 0


if __name__ == "__main__":
    sys.exit(main())
