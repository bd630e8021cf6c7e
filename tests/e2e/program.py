# SPDX-License-Identifier: Apache-2.0
"""Running peerfab from the tests. The environment variable PEERFAB names the program."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PEERFAB", str(ROOT / "build" / "release" / "peerfab"))
TIMEOUT_S = 120

# A crash of a program with sanitizers is an exit code of its own, which no test expects.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0",
               "UBSAN_OPTIONS": "exitcode=99"}

TOPOLOGY = """\
peerfab: 1
name: Two GPUs under one switch
sockets:
  cpu0: {model: root-complex, preset: xeon-sapphire-rapids}
devices:
  sw0:  {model: switch, preset: pex89104, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
"""

SCENARIO = """\
peerfab: 1
topology: topology.yaml
do:
  - copy: {name: copy, from: gpu0, to: gpu1, size: 1MiB}
compare:
  p2p:    {copy.via: p2p}
  bounce: {copy.via: host}
expect:
  - p2p.copy.bandwidth at least 1GB/s
"""


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own that holds a good topology and a good scenario."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="peerfab-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("topology.yaml", TOPOLOGY)
        self.write("scenario.yaml", SCENARIO)

    def write(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)
        return name

    def peerfab(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_S, check=False, **options)

    def start(self, *arguments, **options):
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, env=ENVIRONMENT,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def assert_code(self, done, code):
        self.assertEqual(done.returncode, code, (done.stdout + done.stderr).decode(errors="replace"))
