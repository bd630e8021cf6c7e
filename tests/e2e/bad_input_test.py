# SPDX-License-Identifier: Apache-2.0
"""Whatever is in a file: a diagnostic with a position and exit code 2 within seconds."""
import random
import time
import unittest

from program import SCENARIO, TOPOLOGY, ProgramTest

SECONDS = 20  # generous: sanitizers on a busy machine


class BadInputTest(ProgramTest):
    def assert_refused(self, name, content):
        """Both commands refuse the file, quickly, and say where."""
        self.write(name, content)
        for command in ("check", "run", "topo"):
            with self.subTest(file=name, command=command):
                start = time.monotonic()
                done = self.peerfab(command, name)
                self.assert_code(done, 2)
                self.assertIn(f"{name}".encode(), done.stderr)
                self.assertIn(b"error[", done.stderr)
                self.assertLess(len(done.stderr), 200_000)
                self.assertLess(time.monotonic() - start, SECONDS)

    def test_empty_and_binary_files(self):
        rng = random.Random(1)
        self.assert_refused("empty.yaml", b"")
        self.assert_refused("blank.yaml", b"\n\n   \n# nothing\n")
        self.assert_refused("zeros.yaml", bytes(4096))
        self.assert_refused("random.yaml", bytes(rng.randrange(256) for _ in range(10_000)))
        self.assert_refused("utf16.yaml", SCENARIO.encode("utf-16"))
        self.assert_refused("latin1.yaml", b"name: caf\xe9\n")
        self.assert_refused("control.yaml", b"peerfab: 1\nname: \x1b[31mred\n")
        self.assert_refused("elf.yaml", b"\x7fELF\x02\x01\x01" + bytes(100))

    def test_shapes_that_are_no_document(self):
        self.assert_refused("scalar.yaml", "hello\n")
        self.assert_refused("list.yaml", "- 1\n- 2\n")
        self.assert_refused("two.yaml", "peerfab: 1\n---\npeerfab: 1\n")
        self.assert_refused("open.yaml", "peerfab: {1, [\n")
        self.assert_refused("tab.yaml", "peerfab: 1\ndo:\n\t- copy: {}\n")
        self.assert_refused("twice.yaml", "peerfab: 1\npeerfab: 1\n")
        self.assert_refused("null.yaml", "peerfab:\ntopology:\ndo:\n")
        self.assert_refused("odd-keys.yaml", "{[1, 2]: 3, {a: b}: c}\n")

    def test_huge_files(self):
        self.assert_refused("long.yaml", b"peerfab: 1\nname: " + b"x" * (20 << 20) + b"\n")
        self.assert_refused("wide.yaml", b"peerfab: 1\ndo: [" + b"a, " * 400_000 + b"a]\n")
        self.assert_refused("many.yaml", b"".join(b"k%d: 1\n" % i for i in range(300_000)))
        self.assert_refused("deep.yaml", b"[" * 200_000)
        self.assert_refused("deep-map.yaml", b"{a: " * 200_000)
        self.assert_refused("dashes.yaml", b"- " * 100_000)

    def test_aliases_that_grow(self):
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        for i in range(1, 12):
            lines.append(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]")
        self.assert_refused("laughs.yaml", "\n".join(lines) + "\n")
        self.assert_refused("self.yaml", "peerfab: 1\ndo: &a [*a]\n")
        self.assert_refused("unknown.yaml", "peerfab: *nothing\n")

    def test_truncated_files(self):
        for name, text in (("topology.yaml", TOPOLOGY), ("scenario.yaml", SCENARIO)):
            for cut in range(0, len(text), 7):
                self.write("topology.yaml", TOPOLOGY)
                self.write(name, text[:cut])
                done = self.peerfab("check", name)
                with self.subTest(file=name, cut=cut):
                    self.assertIn(done.returncode, (0, 2), done.stderr)
                    self.assertEqual(done.returncode == 0, b"error[" not in done.stderr)

    def test_damaged_files(self):
        rng = random.Random(2)
        for _ in range(60):
            data = bytearray(SCENARIO.encode())
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.choice(b"{}[]:,-&*!|>'\"%@`#\n\t 0\xff")
            self.write("damaged.yaml", bytes(data))
            done = self.peerfab("check", "damaged.yaml")
            with self.subTest(data=bytes(data)):
                self.assertIn(done.returncode, (0, 2), done.stderr)

    def test_quantities_that_are_wrong(self):
        for size in ("0B", "-1MiB", "1", "1e9B", "1 000B", "0x10B", "99999999999999999999GiB", "1MiBB",
                     "MiB", "''", "[1MiB]", "{}", "1.5.5MiB", "~"):
            self.assert_refused("size.yaml", SCENARIO.replace("size: 1MiB", f"size: {size}"))
        for link in ("gen7 x16", "gen5 x3", "gen5", "x16", "gen0 x0", "gen5 x16 x16", "5"):
            self.assert_refused("link.yaml", TOPOLOGY.replace("link: gen5 x16", f"link: {link}"))

    def test_what_is_no_file(self):
        for name in ("missing.yaml", ".", "/dev/null"):
            for command in ("check", "run", "topo"):
                done = self.peerfab(command, name)
                self.assert_code(done, 2)
                self.assertIn(b"error[", done.stderr)

    def test_a_topology_that_includes_nonsense(self):
        self.write("scenario.yaml", SCENARIO.replace("topology.yaml", "scenario.yaml"))
        self.assert_code(self.peerfab("run", "scenario.yaml"), 2)
        self.write("scenario.yaml", SCENARIO.replace("topology.yaml", "/etc/passwd"))
        self.assert_code(self.peerfab("run", "scenario.yaml"), 2)


if __name__ == "__main__":
    unittest.main()
