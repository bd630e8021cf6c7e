# SPDX-License-Identifier: Apache-2.0
"""What result.json promises: its schema, exact sums, the same result each time."""
import json
import pathlib
import re
import unittest

from json_schema import errors
from program import ROOT, SCENARIO, TOPOLOGY, ProgramTest

SCHEMA = json.loads((ROOT / "docs/schemas/result.schema.json").read_text())


class ResultTest(ProgramTest):
    def result(self, scenario, *arguments, code=0):
        done = self.peerfab("run", scenario, "--json", "-", "--quiet", "--monitors", *arguments)
        self.assert_code(done, code)
        return json.loads(done.stdout)

    def assert_sound(self, result):
        """Everything that holds for any result."""
        self.assertEqual(errors(result, SCHEMA), [])
        for variant in result["variants"]:
            for monitor in variant["monitors"]:
                self.assertEqual(monitor["findings"], [])
            for flow in variant["flows"]:
                latency = flow["latency_ps"]
                self.assertEqual(sum(flow["breakdown_ps"].values()), latency["mean"])
                self.assertEqual(sum(flow["breakdown_total_ps"].values()), latency["total"])
                if flow["transactions"]:
                    self.assertEqual(latency["mean"], latency["total"] // flow["transactions"])
                for low, high in (("min", "p50"), ("p50", "p99"), ("p99", "max"), ("min", "mean"),
                                  ("mean", "max")):
                    self.assertLessEqual(latency[low], latency[high])
                if flow["time_ps"]:
                    self.assertEqual(flow["bandwidth_bytes_per_s"],
                                     flow["bytes"] * 10**12 // flow["time_ps"])
            for link in variant["links"]:
                self.assertGreaterEqual(link["tlp_bytes"], link["payload_bytes"])
                self.assertEqual(link["tlps"] == 0, link["tlp_bytes"] == 0)

    def test_the_schema_is_what_the_program_prints(self):
        done = self.peerfab("schema", "result")
        self.assertEqual(json.loads(done.stdout), SCHEMA)

    def test_a_comparison(self):
        result = self.result("scenario.yaml")
        self.assert_sound(result)
        p2p, bounce = result["variants"]
        self.assertEqual(p2p["flows"][0]["bytes"], 1 << 20)
        over_root = {variant["name"]: {link["direction"]: link["payload_bytes"]
                                       for link in variant["links"] if link["name"] == "cpu0-sw0"}
                     for variant in result["variants"]}
        self.assertEqual(over_root["p2p"], {"up": 0, "down": 0})
        self.assertEqual(over_root["bounce"], {"up": 1 << 20, "down": 1 << 20})
        self.assertGreater(p2p["flows"][0]["bandwidth_bytes_per_s"],
                           bounce["flows"][0]["bandwidth_bytes_per_s"])

    def test_the_same_input_and_seed_give_the_same_result(self):
        for arguments in ((), ("--payload", "real"), ("--seed", "7"), ("--jobs", "1")):
            first = self.result("scenario.yaml", *arguments)
            second = self.result("scenario.yaml", *arguments)
            first.pop("host")
            second.pop("host")
            self.assertEqual(first, second)

    def test_monitors_watch_and_change_nothing(self):
        done = self.peerfab("run", "scenario.yaml", "--json", "-", "--quiet")
        without = json.loads(done.stdout)
        watched = self.result("scenario.yaml")
        self.assertEqual(errors(without, SCHEMA), [])
        for variant in watched["variants"]:
            checks = {monitor["name"]: monitor["checks"] for monitor in variant.pop("monitors")}
            self.assertEqual(len(checks), 8)
            self.assertGreater(checks["credits"], 0)
            self.assertGreater(checks["ordering"], 0)
        without.pop("host")
        watched.pop("host")
        self.assertEqual(without, watched)

    def test_links_that_train_err_and_retrain_break_no_rule(self):
        self.write("topology.yaml", TOPOLOGY.replace("link: gen5 x16}",
                                                     "link: gen5 x16, bit_error_rate: 0.000001}"))
        for start in ("train_links", "exact_links"):
            with self.subTest(start=start):
                self.write("scenario.yaml", f"""\
peerfab: 1
topology: topology.yaml
{start}: true
link_events:
  - {{link: cpu0-sw0, event: retrain, at: 20us}}
  - {{link: sw0-gpu0, event: speed, at: 30us, to: gen3 x8}}
do:
  - copy: {{name: write, from: gpu0, to: gpu1, size: 1MiB, via: p2p}}
  - copy: {{name: read, from: cpu0, to: gpu0, by: gpu0, size: 1MiB}}
""")
                result = self.result("scenario.yaml")
                self.assert_sound(result)
                checks = {monitor["name"]: monitor["checks"]
                          for monitor in result["variants"][0]["monitors"]}
                self.assertGreater(checks["sequence-number"], 10_000)

    def test_payload_does_not_change_the_timing(self):
        none = self.result("scenario.yaml")["variants"]
        real = self.result("scenario.yaml", "--payload", "real")["variants"]
        for without, with_bytes in zip(none, real):
            self.assertEqual(without["flows"], with_bytes["flows"])
            self.assertEqual(without["links"], with_bytes["links"])

    def test_an_expectation_that_fails(self):
        self.write("scenario.yaml", SCENARIO.replace("at least 1GB/s", "at least 900GB/s"))
        result = self.result("scenario.yaml", code=1)
        self.assert_sound(result)
        self.assertEqual(result["expectations"][0]["outcome"], "failed")
        self.assertIsNone(result["expectations"][0]["high"])

    def test_nothing_compared_is_one_variant(self):
        self.write("scenario.yaml", SCENARIO[:SCENARIO.index("compare:")])
        result = self.result("scenario.yaml")
        self.assert_sound(result)
        self.assertEqual([variant["name"] for variant in result["variants"]], ["run"])
        self.assertEqual(result["expectations"], [])

    def test_flows_of_every_kind(self):
        self.write("scenario.yaml", """\
peerfab: 1
topology: topology.yaml
warm_up: 2us
do:
  - flow: {name: read, from: cpu0, to: gpu0, by: gpu0, size: 64KiB, chunk: 64B, queue_depth: 4}
  - flow: {name: paced, from: gpu1, to: cpu0, size: 64KiB, chunk: 256B, interval: 200ns}
  - copy: {name: rows, from: cpu0, to: gpu1, size: 64KiB, row: 128B, stride: 512B, start: 1us}
  - copy: {name: pull, from: gpu0, to: gpu1, by: gpu1, size: 64KiB, via: p2p, after: [read, rows]}
  - copy: {name: staged, from: gpu0, to: gpu1, size: 256KiB, via: host, staging_chunk: 64KiB,
           staging_buffers: 1, count: 2, after: pull}
""")
        result = self.result("scenario.yaml")
        self.assert_sound(result)
        flows = {flow["name"]: flow for flow in result["variants"][0]["flows"]}
        self.assertEqual([flow["finished"] for flow in flows.values()], [True] * 5)
        self.assertEqual(flows["staged"]["bytes"], 512 << 10)
        self.assertEqual(flows["pull"]["by"], "gpu1")
        self.assertEqual(flows["staged"]["via"], "host")
        self.assertEqual(flows["rows"]["via"], "direct")

    def test_a_time_limit_leaves_flows_unfinished(self):
        self.write("scenario.yaml", SCENARIO.replace("size: 1MiB", "size: 1TiB")
                   .replace("do:", "time_limit: 200us\ndo:"))
        result = self.result("scenario.yaml")
        self.assert_sound(result)
        self.assertFalse(result["partial"])
        for variant in result["variants"]:
            self.assertFalse(variant["flows"][0]["finished"])
            self.assertEqual(variant["time_ps"], 200_000_000)


class ScenariosTest(ProgramTest):
    """The scenarios that users copy from."""

    def test_all_of_them_are_fine(self):
        files = sorted((ROOT / "scenarios").glob("*.yaml"))
        self.assertTrue(files)
        self.assert_code(self.peerfab("check", *files), 0)
        for file in files:
            with self.subTest(file=file.name):
                done = self.peerfab("run", file, "--json", "r.json", "--monitors")
                self.assert_code(done, 0)
                result = json.loads((self.folder / "r.json").read_text())
                ResultTest.assert_sound(self, result)
                self.assertTrue(result["expectations"])

    def test_every_topology_has_a_scenario_and_all_are_listed(self):
        page = (ROOT / "docs/topologies.md").read_text()
        topologies = {file.name for file in (ROOT / "topologies").glob("*.yaml")}
        used = set()
        for file in (ROOT / "scenarios").glob("*.yaml"):
            used.update(re.findall(r"^topology: \.\./topologies/(\S+)$", file.read_text(), re.M))
            self.assertIn(f"`{file.stem}`", page)
        self.assertEqual(used, topologies)
        for name in topologies:
            self.assertIn(f"`{pathlib.Path(name).stem}`", page)


if __name__ == "__main__":
    unittest.main()
