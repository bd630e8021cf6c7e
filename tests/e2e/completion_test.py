# SPDX-License-Identifier: Apache-2.0
"""The completion scripts in the shells that they are for. What they look like is golden."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from program import ENVIRONMENT, PROGRAM, ProgramTest


class CompletionTest(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "lab").mkdir()
        self.write("lab/my disks.yaml", "")
        self.write("notes.txt", "")

    def script(self, shell):
        done = self.peerfab("completion", shell)
        self.assert_code(done, 0)
        self.write(f"completion.{shell}", done.stdout)
        return f"completion.{shell}"

    def shell(self, *command):
        # The shells look for the program by its name.
        path = f"{pathlib.Path(PROGRAM).resolve().parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(command, cwd=self.folder, env={**ENVIRONMENT, "PATH": path},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        return done.stdout.decode()

    def bash(self, *words):
        """What bash offers when Tab is pressed behind the last of the words."""
        text = self.shell("bash", "--norc", "-c", f"""
            source <({shlex.quote(str(pathlib.Path(PROGRAM).resolve()))} completion bash)
            COMP_WORDS=(peerfab {shlex.join(words)})
            COMP_CWORD={len(words)}
            _peerfab
            printf '%s\\n' "${{COMPREPLY[@]}}" """)
        return sorted({line for line in text.splitlines() if line})

    def models(self):
        done = self.peerfab("models", "--format", "json")
        return sorted(model["kind"] for model in json.loads(done.stdout))

    def test_bash_completes_commands_and_options(self):
        commands = self.bash("")
        self.assertIn("run", commands)
        for command in commands:
            self.assert_code(self.peerfab(command, "--help"), 0)
            self.assertIn("--help", self.bash(command, "-"))
        self.assertEqual(self.bash("co"), ["completion"])
        self.assertEqual(self.bash("--v"), ["--version"])
        self.assertEqual(self.bash("run", "--js"), ["--json"])
        self.assertEqual(self.bash("nonsense", ""), [])

    def test_bash_offers_every_option_that_the_help_names(self):
        for command in self.bash(""):
            text = self.peerfab(command, "--help").stdout.decode()
            # "  -q,--quiet" or "  -q, --quiet", as the version of CLI11 has it.
            named = [word for pair in re.findall(r"^ +(-\w)?,? *(--[\w-]+)?", text, re.M)
                     for word in pair if word]
            self.assertTrue(named)
            self.assertEqual(self.bash(command, "-"), sorted(named))

    def test_bash_completes_values(self):
        self.assertEqual(self.bash("topo", "--format", ""), ["dot", "json", "tree"])
        self.assertEqual(self.bash("topo", "--format", "d"), ["dot"])
        self.assertEqual(self.bash("topo", "--format", "=", ""), ["dot", "json", "tree"])
        self.assertEqual(self.bash("topo", "--format", "="), ["dot", "json", "tree"])
        self.assertEqual(self.bash("topo", "--format", "=", "j"), ["json"])
        self.assertEqual(self.bash("run", "--seed", ""), [])
        self.assertEqual(self.bash("schema", ""), ["result", "scenario", "topology"])
        self.assertEqual(self.bash("completion", ""), ["bash", "fish", "zsh"])

    def test_bash_completes_models(self):
        self.assertEqual(self.bash("models", ""), self.models())
        self.assertEqual(self.bash("models", "--format", "json", ""), self.models())
        self.assertEqual(self.bash("models", "--format", "=", "json", "gp"), ["gpu"])
        self.assertEqual(self.bash("models", "gpu", ""), [])  # takes one only

    def test_bash_completes_files(self):
        yaml = ["lab", "scenario.yaml", "topology.yaml"]
        self.assertEqual(self.bash("run", ""), yaml)
        self.assertEqual(self.bash("run", "--quiet", ""), yaml)
        self.assertEqual(self.bash("run", "--payload", "real", "sc"), ["scenario.yaml"])
        self.assertEqual(self.bash("run", "scenario.yaml", ""), [])
        self.assertEqual(self.bash("check", "scenario.yaml", ""), yaml)
        self.assertEqual(self.bash("check", "lab/"), ["lab/my disks.yaml"])
        self.assertEqual(self.bash("run", "--json", "no"), ["notes.txt"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_its_script(self):
        self.shell("zsh", "-f", "-n", self.script("zsh"))
        text = self.shell("zsh", "-f", "-c", "autoload -Uz compinit && compinit -u -D && "
                          f"source ./{self.script('zsh')} && print $_comps[peerfab]")
        self.assertEqual(text, "_peerfab\n")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes(self):
        def offered(line):
            text = self.shell("fish", "--no-config", "-c",
                              f"source {self.script('fish')}; complete -C {shlex.quote(line)}")
            return sorted(line.split("\t")[0] for line in text.splitlines())
        self.assertEqual(offered("peerfab "), self.bash(""))
        self.assertEqual(offered("peerfab models "), self.models())
        self.assertEqual(offered("peerfab topo --format "), ["dot", "json", "tree"])
        self.assertIn("scenario.yaml", offered("peerfab run "))
        self.assertIn("--json", offered("peerfab run --"))


if __name__ == "__main__":
    unittest.main()
