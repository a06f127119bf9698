"""Completions of bash, zsh and fish, as these shells have them: every option of every command, names, files.

usage: completion_test.py COMMAND BUILD, in the project's top folder
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import helped

PROGRAM, BUILD = os.path.abspath(sys.argv[1]), sys.argv[2]
SCRIPTS = pathlib.Path(BUILD, "manual/pages/completions").resolve()
HELP = helped.Help(PROGRAM)
WINGS = os.environ["WB_WINGS"].split(",")
HAS_IMPORT = "gpgpusim" in WINGS
SWEEPS = {
    "warpbound sweep ": ["a.yaml", "b.yml", "diff", "merge", "plot", "show"],
    "warpbound sweep show ": ["a.db"],
    "warpbound sweep diff a.db ": ["a.db"],
}
TOP = os.getcwd()
os.environ["PATH"] = os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"]  # scripts ask the program
PATIENCE = 60  # seconds until a shell is taken for hung


class Terminal:
    """A shell that runs on a terminal, in a folder."""

    def __init__(self, command, folder):
        environment = {**os.environ, "TERM": "dumb", "HOME": folder, "PS1": "> ", "INPUTRC": "/dev/null"}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.said = ""

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        """Reads until the pattern is there, and forgets what comes before."""
        end = time.monotonic() + PATIENCE
        while (found := re.search(pattern, self.said)) is None:
            if time.monotonic() > end or not select.select([self.terminal], [], [], PATIENCE)[0]:
                raise AssertionError(f"no {pattern!r} in {self.said!r}")
            self.said += os.read(self.terminal, 65536).decode(errors="replace")
        self.said = self.said[found.end() :]
        return found

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def ask_program(lines, folder):
    """What the program answers to scripts, with the files that these would find."""
    answers = []
    for line in lines:
        words = line.split(" ")[1:]
        run = subprocess.run([PROGRAM, "__complete", *words], capture_output=True, text=True, cwd=folder)
        if run.returncode != 0 or run.stderr:
            return run, answers
        said = run.stdout.splitlines()
        names = [word.split("\t")[0] for word in said if not word.startswith(":")]
        patterns = [word.removeprefix(":file ") for word in said if word.startswith(":file ")]
        for path in pathlib.Path(folder).iterdir() if patterns or ":folders" in said else []:
            if path.is_dir() or any(path.match(pattern) for pattern in patterns):
                names.append(path.name)
        answers.append([name for name in names if name.startswith(words[-1])])
    return None, answers


def ask_bash(lines, folder):
    """What the completion offers at the end of each line, called as bash calls it."""
    script = [f"source {SCRIPTS}/warpbound"]
    for line in lines:
        words = [word for part in line.split(" ") for word in re.findall(r"=|[^=]+", part) or [""]]
        quoted = " ".join("'" + word + "'" for word in words)
        script.append(f"COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}; _warpbound; printf '%s\\n' \"${{COMPREPLY[@]}}\" END")
    run = subprocess.run(["bash", "--norc", "--noprofile", "-c", "\n".join(script)], capture_output=True, text=True, cwd=folder)
    return run, [part.split("\n") for part in run.stdout.split("END\n")[:-1]]


def ask_fish(lines, folder):
    script = [f"source {SCRIPTS}/warpbound.fish"]
    script += [f"complete -C '{line}'; echo END" for line in lines]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home}
        run = subprocess.run(["fish", "--no-config", "-c", "\n".join(script)], capture_output=True, text=True, cwd=folder, env=environment)
    return run, [[line.split("\t")[0] for line in part.split("\n")] for part in run.stdout.split("END\n")[:-1]]


# Writes what zsh is about to offer to a file instead.
ZSH_RC = """
fpath=(%s $fpath)
autoload -U compinit
compinit -u -D
zstyle ':completion:*' completer _complete
zstyle ':completion:*' insert-tab false
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
        builtin compadd "$@"
        return $?
    fi
    local -a hits
    builtin compadd -A hits "$@"
    (( $#hits )) && print -rl -- $hits >>$HOME/offered
    builtin compadd "$@"
}
setopt no_auto_menu no_auto_list
finish() { print END >>$HOME/offered }
comppostfuncs=(finish)
all() { comppostfuncs=(finish); zle complete-word; BUFFER= }
zle -N all
bindkey '^T' all
print READY
"""


class Zsh:
    """A shell for all tests: it takes long to start."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory()
        self.offered = pathlib.Path(self.home.name, "offered")
        pathlib.Path(self.home.name, ".zshrc").write_text(ZSH_RC % SCRIPTS)
        self.terminal = Terminal(["zsh", "-f", "-i"], self.home.name)
        self.terminal.type("source ~/.zshrc\n")
        self.terminal.wait_for("READY\r?\n")

    def ask(self, lines, folder):
        answers = []
        self.terminal.type(f"cd {folder}; print HERE\n")
        self.terminal.wait_for("HERE\r?\n")
        for line in lines:
            self.offered.write_text("")
            self.terminal.type(line + "\x14")
            end = time.monotonic() + PATIENCE
            while not self.offered.read_text().endswith("END\n"):
                if time.monotonic() > end:
                    raise AssertionError(f"zsh offers nothing behind {line!r}")
                time.sleep(0.002)
            answers.append(self.offered.read_text().split("\n")[:-2])
        return None, answers

    def close(self):
        self.terminal.close()
        self.home.cleanup()


class Shell:
    """What every shell's completion does."""

    shell = None

    @classmethod
    def setUpClass(cls):
        if shutil.which(cls.shell) is None:
            raise unittest.SkipTest(f"{cls.shell} is not installed")

    def offered(self, lines, folder=TOP):
        run, answers = self.ask(lines, folder)
        if run is not None:
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(len(answers), len(lines))
        return [sorted({word for word in words if word}) for words in answers]

    def test_commands(self):
        (first, helps, shells, unknown) = self.offered(["warpbound ", "warpbound help ", "warpbound completion ", "warpbound nothing "])
        self.assertLessEqual({*HELP.commands, "help", "manual", "completion"}, set(first))
        self.assertEqual(helps, sorted(HELP.commands))
        self.assertEqual(shells, ["bash", "fish", "zsh"])
        self.assertEqual(unknown, [])

    def test_every_option_of_every_command(self):
        for command, words in zip(HELP.commands, self.offered([f"warpbound {command} --" for command in HELP.commands])):
            names = {"--" + name for _, name in HELP.options(command)}
            self.assertGreater(len(names), 3)
            self.assertEqual({word.rstrip("=") for word in words}, names, command)

    def test_names_of_registries(self):
        methods, policies, machines, formats, again = self.offered(
            [
                "warpbound analyze --method ",
                "warpbound simulate --policy ",
                "warpbound analyze -m ",
                "warpbound cfg --format ",
                "warpbound analyze k.ptx --format=ju",
            ]
        )
        self.assertEqual(methods, sorted(HELP.names("analyze", "methods")))
        self.assertEqual(policies, sorted(HELP.names("simulate", "policies")))
        table = subprocess.run([PROGRAM, "machine", "list"], check=True, capture_output=True, text=True).stdout
        presets = [row.split()[0] for row in table.splitlines()[1:]]
        self.assertLessEqual(set(presets), set(machines))
        self.assertEqual(formats, ["dot", "text"])
        self.assertEqual([word.replace("--format=", "") for word in again], ["junit"])

    @unittest.skipUnless("makespan" in WINGS, "not in this build")
    def test_names_of_makespans(self):
        methods, refuted = self.offered(["warpbound makespan --method ", "warpbound makespan --refute "])
        self.assertEqual(methods, sorted(HELP.names("makespan", "methods")))
        self.assertEqual(refuted, ["extrapolate", "pessimistic"])

    def test_names_that_stand_in_files(self):
        kernels, launched, of_horner, keys, of_machine, none = self.offered(
            [
                "warpbound analyze kernels/vecadd.ptx -k ",
                "warpbound path kernels/vecadd.yaml --kernel=ve",
                "warpbound analyze kernels/cubin/horner.sm_86.cubin --kernel ",
                "warpbound analyze kernels/vecadd.yaml --set mem_",
                "warpbound analyze kernels/vecadd.yaml --machine=jcse2017 --set memory.l1_s",
                "warpbound analyze nothing.ptx -k ",
            ]
        )
        self.assertEqual([word.replace("--kernel=", "") for word in [*kernels, *launched]], ["vecadd"] * 2)
        self.assertGreater(len(of_horner), 0)
        self.assertEqual(keys, ["mem_latency="])
        self.assertEqual(of_machine, ["memory.l1_sector=", "memory.l1_size=", "memory.l1_store="])
        self.assertEqual(none, [])

    def test_lists_go_on_behind_a_comma(self):
        (words,) = self.offered(["warpbound analyze --method sib,k-exh"])
        self.assertEqual([word.rsplit(",", 1)[-1] for word in words], ["k-exhaustive"])

    def test_values_of_which_nothing_is_known(self):
        self.assertEqual(self.offered(["warpbound analyze --grid ", "warpbound analyze --deadline "]), [[], []])

    def test_operands(self):
        with tempfile.TemporaryDirectory() as folder:
            everything = ["a.config", "a.cubin", "a.db", "a.facts", "a.ptx", "a.txt", "a.yaml", "b.yml"]
            for name in everything:
                pathlib.Path(folder, name).touch()
            pathlib.Path(folder, "inside").mkdir()
            lines = {
                "warpbound analyze ": everything,
                "warpbound print ": everything,
                "warpbound machine ": ["calibrate", "check", *["import"] * HAS_IMPORT, "list", "show"],
                "warpbound machine check ": everything,
                **(SWEEPS if "sweep" in WINGS else {}),
                **({"warpbound machine import ": ["a.config"]} if HAS_IMPORT else {}),
                "warpbound analyze a.ptx -l ": ["a.yaml", "b.yml"],
                "warpbound analyze a.ptx --facts ": ["a.facts"],
                "warpbound analyze a.ptx --source ": [],
            }
            for (line, expected), words in zip(lines.items(), self.offered(list(lines), folder)):
                first = [word for word in words if word.rstrip("/") != "inside"]
                if self.shell == "fish":  # it offers other files, too, behind these
                    first = [word for word in first if word in expected or "." not in word]
                self.assertEqual(first, expected, line)
                files = any("." in word for word in expected) or "--source" in line
                self.assertEqual(files, len(first) < len(words), line)


class TestProgram(Shell, unittest.TestCase):
    shell, ask = "sh", staticmethod(ask_program)

    def test_what_options_are_for(self):
        run = subprocess.run([PROGRAM, "__complete", "analyze", "-"], check=True, capture_output=True, text=True)
        said = dict(line.split("\t") for line in run.stdout.splitlines())
        self.assertEqual(set(said), {f"--{name}" for _, name in HELP.options("analyze")} | {f"-{letter}" for letter, _ in HELP.options("analyze") if letter})
        self.assertEqual(said["-k"], said["--kernel"])
        for words, answer in (
            (["machine", "check", "--ptxas", ""], ":programs\n"),
            (["analyze", "--cubin=a"], ":file *\n"),
            (["analyze", "a.ptx", "-o", ""], ":file *\n"),
            (["analyze", "-mjcse2017", "--memory", ""], "ideal\nrequests\n"),
            (["analyze", "--lines", ""], subprocess.run([PROGRAM, "__complete", "analyze", ""], capture_output=True, text=True).stdout),
            (["analyze", "--method", "x" * 300 + ","], ":nospace\n"),
            ([], ""),
        ):
            run = subprocess.run([PROGRAM, "__complete", *words], check=True, capture_output=True, text=True)
            self.assertEqual(run.stdout, answer, words)


class TestBash(Shell, unittest.TestCase):
    shell, ask = "bash", staticmethod(ask_bash)

    def test_with_the_key(self):
        """On a terminal: a line completed by the tabulator, with '=' and commas in it, is that line."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "some kernel.ptx").touch()
            terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], folder)
            terminal.type(f"source {SCRIPTS}/warpbound; bind 'set enable-bracketed-paste off'; echo READY\n")
            terminal.wait_for("READY\r\n")
            for typed, line in (
                ("warpbound ana\t--format=ju\t", "warpbound analyze --format=junit"),
                ("warpbound analyze --method=sib,k-exh\t", "warpbound analyze --method=sib,k-exhaustive"),
                ("warpbound analyze --method sib,k-exh\t", "warpbound analyze --method sib,k-exhaustive"),
                ("warpbound print so\t", "warpbound print some kernel.ptx"),
            ):
                terminal.type(typed + "\x01echo LINE \x05 DONE\n")
                self.assertEqual(terminal.wait_for("\nLINE (.*?) DONE").group(1).rstrip(), line)
            terminal.close()


class TestFish(Shell, unittest.TestCase):
    shell, ask = "fish", staticmethod(ask_fish)


class TestZsh(Shell, unittest.TestCase):
    shell = "zsh"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.running = Zsh()
        cls.ask = staticmethod(cls.running.ask)

    @classmethod
    def tearDownClass(cls):
        cls.running.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
