# SPDX-License-Identifier: Apache-2.0
"""Where the output goes, what happens when it cannot, and how a run is stopped."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from program import ENVIRONMENT, PROGRAM, SCENARIO, ProgramTest

LONG = SCENARIO.replace("size: 1MiB", "size: 1TiB")


class OutputTest(ProgramTest):
    def read_json(self, name):
        return json.loads((self.folder / name).read_text())

    def test_the_result_goes_to_a_file_and_the_table_to_standard_output(self):
        done = self.peerfab("run", "scenario.yaml", "--json", "r.json")
        self.assert_code(done, 0)
        self.assertIn(b"bandwidth", done.stdout)
        self.assertEqual([v["name"] for v in self.read_json("r.json")["variants"]],
                         ["p2p", "bounce"])
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["r.json", "scenario.yaml", "topology.yaml"])

    def test_the_result_on_standard_output_is_nothing_but_json(self):
        done = self.peerfab("run", "scenario.yaml", "--json", "-")
        self.assert_code(done, 0)
        self.assertEqual(json.loads(done.stdout)["schema_version"], 1)
        self.assertIn(b"bandwidth", done.stderr)
        quiet = self.peerfab("run", "scenario.yaml", "--json", "-", "--quiet")
        self.assertEqual(quiet.stderr, b"")

    def test_an_unwritable_output_is_noticed_before_the_simulation(self):
        self.write("long.yaml", LONG)
        (self.folder / "folder").mkdir()
        for name in ("no/such/folder/r.json", "folder", "", "topology.yaml/r.json"):
            start = time.monotonic()
            done = self.peerfab("run", "long.yaml", "--json", name)
            with self.subTest(output=name):
                self.assert_code(done, 2)
                self.assertIn(b"cannot write", done.stderr)
                self.assertLess(time.monotonic() - start, 20)

    def test_an_old_result_survives_a_run_that_cannot_begin(self):
        self.write("r.json", "old")
        self.write("bad.yaml", SCENARIO.replace("gpu1", "gpu9"))
        self.assert_code(self.peerfab("run", "bad.yaml", "--json", "r.json"), 2)
        self.assertEqual((self.folder / "r.json").read_text(), "old")

    def test_a_full_disk_is_a_failure(self):
        done = self.peerfab("run", "scenario.yaml", "--json", "/dev/full", "--quiet")
        self.assert_code(done, 3)
        self.assertIn(b"No space left", done.stderr)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "models"], stdout=full, stderr=subprocess.PIPE,
                                  env=ENVIRONMENT, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"No space left", done.stderr)

    def test_a_reader_that_leaves_is_no_failure(self):
        for arguments in (("models",), ("run", "scenario.yaml"),
                          ("run", "scenario.yaml", "--json", "-")):
            process = self.start(*arguments)
            process.stdout.close()
            stderr = process.stderr.read()
            process.stderr.close()
            with self.subTest(arguments=arguments):
                self.assertEqual(process.wait(60), 0, stderr)
                self.assertNotIn(b"cannot write", stderr)

    def test_closed_streams(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            done = self.start("run", "scenario.yaml", "--json", "r.json",
                              preexec_fn=lambda c=closed: [os.close(fd) for fd in c])
            done.communicate()
            with self.subTest(closed=closed):
                # Without standard output the table cannot be printed, and that is said.
                self.assertEqual(done.returncode, 3 if 1 in closed else 0)
                self.assertEqual(self.read_json("r.json")["schema_version"], 1)
        done = self.start("run", "scenario.yaml", "--json", "-",
                          preexec_fn=lambda: os.close(1))
        _, stderr = done.communicate()
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"closed", stderr)

    def stop_with(self, send):
        self.write("long.yaml", LONG)
        process = self.start("run", "long.yaml", "--json", "r.json", start_new_session=True)
        # Its workers are there only after it has begun to catch signals.
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 60
        while not children.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        send(process)
        start = time.monotonic()
        stdout, stderr = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - start, 15)
        self.assertEqual(process.returncode, 3, stderr)
        result = self.read_json("r.json")
        self.assertTrue(result["partial"])
        for variant in result["variants"]:
            self.assertTrue(variant["partial"])
            self.assertIsNone(variant["error"])
        self.assertEqual(result["expectations"][0]["outcome"], "not judged")
        self.assertIn(b"stopped", stdout)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["long.yaml", "r.json", "scenario.yaml", "topology.yaml"])

    def test_ctrl_c_ends_with_a_partial_result(self):
        self.stop_with(lambda process: os.killpg(process.pid, signal.SIGINT))

    def test_termination_of_the_parent_alone_ends_with_a_partial_result(self):
        self.stop_with(lambda process: process.send_signal(signal.SIGTERM))

    def test_a_killed_parent_takes_its_workers_along(self):
        self.write("long.yaml", LONG)
        process = self.start("run", "long.yaml", "--quiet")
        time.sleep(1)
        children = children_of(process.pid)
        self.assertTrue(children)
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 10
        while any(is_running(child) for child in children):
            self.assertLess(time.monotonic(), deadline, "a worker is still running")
            time.sleep(0.05)

    def test_a_killed_worker_is_a_failed_simulation(self):
        self.write("long.yaml", LONG)
        process = self.start("run", "long.yaml", "--jobs", "2")
        time.sleep(1)
        for child in children_of(process.pid):
            os.kill(child, signal.SIGKILL)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn(b"'p2p' failed: its process died of signal 9 (Killed)", stderr)


def children_of(pid):
    """Process ids of the children of one process."""
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    unittest.main()
