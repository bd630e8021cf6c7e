#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Same input and seed, same result: runs every scenario with several builds and compares.

    tools/lib/compare_results.py PEERFAB PEERFAB...

Sizes in the scenarios are cut to at most 1 MiB, so that a build with sanitizers is done in seconds;
expectations may fail then, which is no matter here. The results must be the same to the byte, their
"host" section aside.

Exit code 0: equal; 1: not; 2: the check itself could not run.
"""

import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS_A_RUN = 300
RAN = (0, 1)  # fine, or an expectation failed


def cut(text: str) -> str:
    text = re.sub(r"\bsize: *\d+ *[MGT]iB\b", "size: 1MiB", text)
    return text.replace("../topologies/", f"{ROOT}/topologies/")


def result_of(program: str, scenario: pathlib.Path) -> list[str]:
    run = subprocess.run(
        [program, "run", str(scenario), "--json", "-", "--quiet"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_A_RUN,
    )
    if run.returncode not in RAN:
        raise RuntimeError(f"{program} ended with {run.returncode} on {scenario.name}:\n{run.stderr}")
    result = json.loads(run.stdout)
    del result["host"]
    return json.dumps(result, indent=1).splitlines()


def main() -> int:
    programs = sys.argv[1:]
    scenarios = sorted((ROOT / "scenarios").glob("*.yaml"))
    if len(programs) < 2 or not scenarios:
        print(__doc__, file=sys.stderr)
        return 2
    differing = 0
    with tempfile.TemporaryDirectory(prefix="peerfab-compare-") as folder:
        for original in scenarios:
            scenario = pathlib.Path(folder) / original.name
            scenario.write_text(cut(original.read_text()))
            first, *others = [(program, result_of(program, scenario)) for program in programs]
            for program, result in others:
                if result == first[1]:
                    continue
                differing += 1
                print(f"{original.name}: the results differ")
                lines = difflib.unified_diff(first[1], result, first[0], program, n=1, lineterm="")
                print("\n".join(list(lines)[:40]))
    print(f"compare_results: {len(scenarios)} scenarios, {len(programs)} builds, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, KeyError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"compare_results: {error}", file=sys.stderr)
        sys.exit(2)
