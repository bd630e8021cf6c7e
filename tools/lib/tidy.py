#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on some of the project's files, in parallel, and remembers what passed.

    tools/lib/tidy.py --build FOLDER [--jobs N] [--limit N] [--seconds N] FILE...

FILE... are sources and headers relative to the checkout, the most important first; a header is
checked through a source that includes it. FOLDER holds compile_commands.json. --limit and
--seconds bound the work: what is left is named, not checked. A source that passed is not checked
again while its preprocessed text, the settings and clang-tidy stay the same; the record is in
$XDG_CACHE_HOME/peerfab/clang-tidy (~/.cache by default).

Exit code 0: nothing found; 1: something found; 2: the check itself could not run.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DAYS_TO_REMEMBER = 60
SECONDS_A_FILE = 600


def cache_folder() -> pathlib.Path | None:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(base) / "peerfab" / "clang-tidy"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None  # no home: check everything every time
    oldest = time.time() - DAYS_TO_REMEMBER * 86400
    for record in folder.iterdir():
        if record.stat().st_mtime < oldest:
            record.unlink(missing_ok=True)
    return folder


def load_commands(build: pathlib.Path) -> dict[str, dict]:
    """Compile commands by the source's path relative to the checkout."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT):
            commands[path.relative_to(ROOT).as_posix()] = entry
    return commands


def sources_to_check(files: list[str], commands: dict[str, dict]) -> list[str]:
    """Each file's own translation unit or, for a header, the best one that includes it."""
    chosen = []
    for file in files:
        source = file
        if file.endswith(".h"):
            source = source_including(file, commands) or ""
        if source not in commands:
            print(f"tidy: {file}: no source of the build includes it, so it is not checked")
        elif source not in chosen:
            chosen.append(source)
    return chosen


def source_including(header: str, commands: dict[str, dict]) -> str | None:
    own = header.removesuffix(".h") + ".cpp"
    if own in commands:
        return own
    include = re.compile(rf'^#include "{re.escape(header)}"', re.MULTILINE)
    folder = os.path.dirname(header)
    by_distance = sorted(commands, key=lambda path: (os.path.dirname(path) != folder, path))
    for path in by_distance:
        if include.search((ROOT / path).read_text(errors="replace")):
            return path
    return None


class Tidy:
    def __init__(self, build: pathlib.Path, commands: dict[str, dict], deadline: float) -> None:
        self.build = build
        self.commands = commands
        self.deadline = deadline
        self.cache = cache_folder()
        version = subprocess.run(
            ["clang-tidy", "--version"], capture_output=True, text=True, check=True
        ).stdout
        self.settings = version + (ROOT / ".clang-tidy").read_text()

    def key(self, source: str) -> str | None:
        """What decides the outcome: settings and the text with comments, for they hold NOLINT."""
        entry = self.commands[source]
        command = shlex.split(entry["command"])
        del command[command.index("-o") : command.index("-o") + 2]
        command.remove("-c")
        text = subprocess.run(
            [*command, "-E", "-P", "-CC"], cwd=entry["directory"], capture_output=True, check=False
        )
        if text.returncode != 0:
            return None
        return hashlib.sha256(self.settings.encode() + source.encode() + text.stdout).hexdigest()

    def check(self, source: str) -> tuple[str, str, str]:
        """(source, outcome, output); outcome is ok, known, found or left."""
        if time.monotonic() > self.deadline:
            return source, "left", ""
        key = self.key(source) if self.cache else None
        if key and self.cache and (self.cache / key).exists():
            (self.cache / key).touch()
            return source, "known", ""
        # The commands are the compiler's, which may know warnings that clang does not.
        command = ["clang-tidy", "--quiet", "-p", str(self.build), str(ROOT / source)]
        command.append("--extra-arg=-Wno-unknown-warning-option")
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=SECONDS_A_FILE
            )
        except subprocess.TimeoutExpired:
            return source, "found", f"{source}: clang-tidy took more than {SECONDS_A_FILE} s\n"
        if run.returncode != 0:
            return source, "found", run.stdout or run.stderr
        if key and self.cache:
            (self.cache / key).touch()
        return source, "ok", ""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, help="sources at most")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start none later")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if not (options.build / "compile_commands.json").is_file():
        print(f"tidy: {options.build} has no compile_commands.json", file=sys.stderr)
        return 2

    commands = load_commands(options.build)
    sources = sources_to_check(options.files, commands)
    left = sources[options.limit :] if options.limit else []
    sources = sources[: options.limit]
    tidy = Tidy(options.build, commands, time.monotonic() + options.seconds)
    outcomes: dict[str, int] = {"ok": 0, "known": 0, "found": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for source, outcome, output in pool.map(tidy.check, sources):
            if outcome == "left":
                left.append(source)
                continue
            outcomes[outcome] += 1
            print(output, end="", flush=True)
    if left:
        print(f"tidy: {len(left)} sources are beyond the bound and not checked: {' '.join(left)}")
    print(
        f"tidy: {outcomes['ok']} sources checked and clean, {outcomes['known']} unchanged since"
        f" they were, {outcomes['found']} with findings"
    )
    return 1 if outcomes["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
