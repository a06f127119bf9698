"""docs/certificates.md says truly on which files of check/ a claim rests, and how many lines of code these have.

The files of a claim call no function of other files but the C library's; only main.c and methods.c,
which are among them all, have tables of all. No file has a variable of its own. Each theorem there
is one of proofs/theorems. Lines of code are neither blank nor comments alone.

usage: check_files_test.py
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ((?:`[a-z-]+`,? ?)+) \| ((?:`\w+\.[ch]` ?)+)\| (\d+) \|", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
OF_ALL = {"check.h", "numbers.c", "main.c", "methods.c", "subject.c", "sha256.c", "read.c", "loops.c", "section.c"}
OF_KERNELS = {"block.c", "align.h", "kernel.h", "kernel.c", "chain.c", "serial.c", "code.h", "code.c", "code_units.c",
              "code_section.c", "code_left.c", "code_missed.c", "code_bounds.c"}
KERNELS = re.compile(r"(code-)?k-|segment-sum|turn-chain|reorder-chain")
METHOD = re.compile(r'^    {"([a-z-]+)", (.*?)},?$', re.MULTILINE | re.DOTALL)
TABLES = {"main.c", "methods.c"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
AT_MOST = {"sib": 1148, "fib": 1148, "elb": 1148}


def table():
    """Of each claim its files and the lines that the page says."""
    text = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")
    return {method: (OF_ALL | (OF_KERNELS if KERNELS.match(method) else set()) | set(NAME.findall(files)), int(lines))
            for methods, files, lines in ROW.findall(text) for method in NAME.findall(methods)}


def methods():
    """Of each claim the functions that compute it, and its theorem or that of its sums, if any."""
    text = (ROOT / "check/methods.c").read_text(encoding="utf-8")
    return {name: (set(re.findall(r"\.of_(?:block|grid) = (\w+)", row)),
                   re.search(r'\.(?:theorem|by_sums) = "(.*?)"', row)) for name, row in METHOD.findall(text)}


def lines_of_code(file):
    text = COMMENT.sub("", (ROOT / "check" / file).read_text(encoding="utf-8"))
    return sum(1 for line in text.splitlines() if line.strip())


def symbols(folder, file):
    """What a file defines, what it needs of other files, and its variables."""
    made = pathlib.Path(folder, file + ".o")
    subprocess.run([os.environ.get("CC", "cc"), "-O0", "-fno-pie", "-c", "-o", made, ROOT / "check" / file], check=True)
    listed = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
    kinds = [(line.split()[-2], line.split()[-1]) for line in listed.splitlines()]
    return ({name for kind, name in kinds if kind != "U"}, {name for kind, name in kinds if kind == "U"},
            {name for kind, name in kinds if kind in "BbCDd"})


class Files(unittest.TestCase):
    def test_every_method_has_a_row(self):
        self.assertGreater(len(methods()), 5)
        self.assertEqual(set(table()), set(methods()))

    def test_theorems_are_checked(self):
        proven = (ROOT / "proofs/theorems").read_text(encoding="utf-8").split()
        for method, (_, theorem) in methods().items():
            with self.subTest(method):
                self.assertIn(theorem[1] if theorem else "block/IsolationPaths.v:SIB_at_bound", proven)

    def test_lines_are_those_of_the_files(self):
        for method, (files, lines) in table().items():
            with self.subTest(method):
                self.assertEqual(sum(map(lines_of_code, files)), lines)
                self.assertLessEqual(lines, AT_MOST.get(method, lines))

    def test_files_need_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            of_file = {file.name: symbols(folder, file.name) for file in (ROOT / "check").glob("*.c")}
        ours = set().union(*(defined for defined, _, _ in of_file.values()))
        self.assertEqual(set().union(*(variables for _, _, variables in of_file.values())), set())
        for method, (files, _) in table().items():
            sources = [file for file in files if file.endswith(".c")]
            defined = set().union(*(of_file[file][0] for file in sources))
            needed = set().union(*(of_file[file][1] for file in sources if file not in TABLES)) & ours
            with self.subTest(method):
                self.assertEqual(needed - defined, set())
                self.assertEqual(methods()[method][0] - defined, set())


if __name__ == "__main__":
    unittest.main()
