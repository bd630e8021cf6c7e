#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which test injects the violation of which monitor.

    monitors_report.py BUILD_FOLDER

Prints every monitor of the library with its section of PCIe r6.0 and the tests called
"monitor <name>: ...", as ctest knows them. Exit code 1 when a monitor has none, or when a test
names a monitor that there is not.
"""

import pathlib
import re
import subprocess
import sys

LISTED = re.compile(r"^\s*Test\s+#\d+: (\S+/monitor (\S+): .*)$")


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1])
    monitors = [
        line.split("\t") for line in output_of(str(build / "tests/bin/list_monitors")).splitlines()
    ]
    tests: dict[str, list[str]] = {name: [] for name, _ in monitors}
    unknown = []
    for line in output_of("ctest", "--test-dir", str(build), "-N").splitlines():
        if match := LISTED.match(line):
            test, name = match.groups()
            tests.get(name, unknown).append(test)
    width = max(len(name) for name, _ in monitors)
    print(f"{'monitor':<{width}}   PCIe r6.0     its violation is injected by")
    for name, section in monitors:
        first, *others = tests[name] or ["NO TEST"]
        print(f"{name:<{width}}   sec {section:<7}   {first}")
        for other in others:
            print(f"{'':<{width}}   {'':<11}   {other}")
    for test in unknown:
        print(f"monitors_report: '{test}' names a monitor that there is not", file=sys.stderr)
    return 1 if unknown or not all(tests.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
