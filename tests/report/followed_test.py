"""warpbound-check --of: instructions and paths of certificates of machine code are those of the cubin.

Certificates of every cubin of kernels/ are followed, two of three branches by the parameters of the launch. Of one,
every instruction whose address, stall, counters or barrier is changed is refused, and every path that leaves out a run;
and a pass of a loop more or fewer, the path of one warp for another, another parameter, grid or block. A cubin that is
damaged, with its sum mended, never ends the program by a signal.

usage: followed_test.py WARPBOUND CHECKER
"""

import hashlib
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPBOUND, CHECKER = sys.argv[1:3]
PRESETS = {"sm_75": "turing-rtx2080", "sm_80": "a100", "sm_86": "rtx-a6000", "sm_87": "jetson-agx-orin",
           "sm_89": "rtx-4090", "sm_90": "h100"}
BLOCK = ("-i", "0,0,0", "--method", "elb")
LAUNCH = re.compile(r"launch: (\d+) of (\d+) branches of (\d+) warps go as its parameters have it")
SEED = 41


def run(*words):
    return subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=False,
                          timeout=300)


def summed(lines):
    """The text of a certificate of these lines and their sum."""
    text = "\n".join(lines) + "\n"
    total = 0xcbf29ce484222325
    for byte in text.encode():
        total = (total ^ byte) * 0x100000001b3 % 2**64
    return text + f"end {total:016x}\n"


def with_word(lines, number, word, value):
    """The lines with another word in one of them."""
    words = lines[number].split(" ")
    words[word] = value
    return lines[:number] + [" ".join(words)] + lines[number + 1:]


class Certificate:
    """One of the first block of a kernel in machine code."""

    def __init__(self, folder, cubin, *options, launches=ROOT / "kernels"):
        self.cubin = cubin
        self.launch = launches / (cubin.name.split(".")[0] + ".yaml")
        preset = PRESETS[cubin.name.split(".")[1]]
        self.machine, self.file = pathlib.Path(folder, preset + ".yaml"), pathlib.Path(folder, "certificate")
        self.machine.write_text(run(WARPBOUND, "machine", "show", preset).stdout, encoding="utf-8")
        run(WARPBOUND, "analyze", cubin, "-l", self.launch, "-m", preset, "-q", *(options or BLOCK), "--certificate",
            self.file)
        self.lines = self.file.read_text(encoding="utf-8").split("\n")[:-2] if self.file.exists() else []

    def check(self, lines, cubin=None):
        self.file.write_text(summed(lines), encoding="utf-8")
        return run(CHECKER, "--of", cubin or self.cubin, self.launch, self.machine, self.file)

    def place(self, key):
        """The first line of a key."""
        return next(number for number, line in enumerate(self.lines) if line.startswith(key + " "))


class Followed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.one = Certificate(self.folder.name, ROOT / "kernels/cubin/reduce.sm_87.cubin")

    def refused(self, lines, *words, one=None):
        done = (one or self.one).check(lines)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertTrue(any(word in done.stderr for word in words), done.stderr)

    def each(self, key, word, value, *reasons):
        """Changes a word of each line of a key, unless it says so anyway."""
        changed = 0
        for number, line in enumerate(self.one.lines):
            if line.split(" ")[0] != key or line.split(" ")[word] == value:
                continue
            self.refused(with_word(self.one.lines, number, word, value), *reasons)
            changed += 1
        self.assertGreater(changed, 2)

    def test_all_kernels_are_followed(self):
        followed, branches = 0, [0, 0]
        for cubin in sorted((ROOT / "kernels/cubin").glob("*.cubin")):
            if not (ROOT / "kernels" / (cubin.name.split(".")[0] + ".yaml")).exists():
                continue
            with tempfile.TemporaryDirectory() as folder, self.subTest(cubin.name):
                one = Certificate(folder, cubin)
                if any(line.startswith("of other") for line in one.lines):
                    continue
                done = one.check(one.lines)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                count = sum(line.startswith("code ") for line in one.lines)
                self.assertIn(f"code: {count} of {count} instructions are those of the cubin", done.stdout)
                decided, of_all, _ = map(int, LAUNCH.search(done.stdout).groups())
                self.assertIn(f"not checked: that {of_all - decided} branches go as data have it", done.stdout)
                branches = [branches[0] + decided, branches[1] + of_all]
                followed += 1
        self.assertGreater(followed, 150)
        self.assertGreater(branches[0], 0.65 * branches[1])

    def test_operations_decide(self):
        """A kernel whose loops run as often as each operation on integers says."""
        for cubin in sorted((ROOT / "tests/data/decisions").glob("*.cubin")):
            for block in range(6):
                with tempfile.TemporaryDirectory() as folder, self.subTest(f"{cubin.name}, block {block}"):
                    one = Certificate(folder, cubin, "-i", f"{block},1,0", *BLOCK[2:], launches=cubin.parent)
                    done = one.check(one.lines)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    decided, of_all, _ = map(int, LAUNCH.search(done.stdout).groups())
                    self.assertGreater(decided, 0.8 * of_all)

    def test_kernels_are_followed(self):
        one = Certificate(self.folder.name, self.one.cubin, "--method", "kernel")
        done = one.check(one.lines)
        classes = sum(line.startswith("class ") for line in one.lines)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(classes, 1)
        self.assertEqual(int(LAUNCH.search(done.stdout)[3]), 8 * classes)
        self.assertIn("blocks are like the one of their class", done.stdout)

    def test_warps_that_are_not_said_are_not_followed(self):
        place = self.one.place("executed")
        done = self.one.check(self.one.lines[:place] + self.one.lines[place + 1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not checked: that branches go as launch and data have it", done.stdout)

    def test_other_instructions_are_refused(self):
        self.each("code", 1, "1", "the stall of the cubin", "a stall is at least longer")
        self.each("code", 9, "5", "counts at")
        self.each("code", 11, "5", "counts at")
        self.each("code", 13, "32", "waits for at")
        self.each("code", 14, "5", "waits for at")
        self.each("address", 1, "1264", "the stall of the cubin", "counts at", "does not go on to", "other counters",
                  "a barrier, or none")
        self.refused(with_word(self.one.lines, self.one.lines.index("address 16"), 1, "8"), "no instruction at 8")
        self.refused([line for line in self.one.lines if line != "address 16"], "not said at which address")

    def test_other_paths_are_refused(self):
        runs = [number for number, line in enumerate(self.one.lines) if line.startswith("run ")]
        for number in runs:
            self.refused(self.one.lines[:number] + self.one.lines[number + 1:], "does not go on to", "does not go from",
                         "does not begin", "ends at")
        self.assertGreater(len(runs), 10)

    def test_other_passes_are_refused(self):
        one = Certificate(self.folder.name, ROOT / "kernels/cubin/sgemm_double_buffered.sm_90.cubin")
        for place in (number for number, line in enumerate(one.lines) if line.startswith("again ")):
            times = int(one.lines[place].split()[2])
            for other in (times - 1, times + 1):
                self.refused(with_word(one.lines, place, 2, str(other)), "does not go from", one=one)

    def test_paths_of_other_warps_are_refused(self):
        place = self.one.place("executed")
        words = self.one.lines[place].split()
        self.assertEqual(words, "executed 0 0 0 0 1 1 1 1 1 1 1".split())
        for swapped, reason in ((4, "elsewhere"), (5, "elsewhere")):
            self.refused(with_word(self.one.lines, place, swapped, str(1 - int(words[swapped]))), reason)
        other = with_word(with_word(self.one.lines, place, 4, "1"), place, 5, "0")
        self.refused(other, "the path of warp 0 ends at 928, and it goes on to 944")
        self.refused(self.one.lines[:place + 1] + self.one.lines[place:], "two blocks of one")
        self.refused(self.one.lines[:place + 1] + ["warps 0 0 1"] + self.one.lines[place + 1:], "more or fewer warps")
        self.refused(with_word(self.one.lines, self.one.place("of block"), 2, "0,0,0"), "no index of a block: 0,0,0")
        self.refused(with_word(self.one.lines, place, 1, "1"), "another block")
        self.refused(with_word(with_word(self.one.lines, place, 1, "4"), self.one.place("of block"), 2, "4"),
                     "another block")

    def test_empty_paths_are_refused(self):
        rows = [number for number, line in enumerate(self.one.lines) if line.startswith("row ")]
        empty = sum(line == "section" for line in self.one.lines)
        lines = [" ".join(["row"] + [str(empty)] * (len(line.split()) - 1)) if line.startswith("row ") else line
                 for line in self.one.lines if not line.startswith("executed ")]
        self.refused(lines[:rows[0]] + ["section"] + lines[rows[0]:], "a path of no instruction")

    def test_instructions_wait_for_fences(self):
        levels = ROOT / "tests/data/levels"
        self.one = Certificate(self.folder.name, levels / "kept.sm_86.cubin", *BLOCK, "-k", "behind_fence",
                               launches=levels)
        self.assertEqual(self.one.check(self.one.lines).returncode, 0)
        for number, line in enumerate(self.one.lines):
            words = line.split(" ")
            if words[0] == "code":
                self.assertGreater(int(words[13]), 63)
                self.refused(with_word(self.one.lines, number, 13, str(int(words[13]) - 64)), "waits for at")

    def test_other_launches_are_refused(self):
        self.refused(with_word(self.one.lines, self.one.place("of grid"), 2, "40"), "does not go from")
        self.refused(with_word(self.one.lines, self.one.place("of threads"), 2, "128"), "more or fewer warps")
        text = self.one.launch.read_text(encoding="utf-8")
        self.one.launch = pathlib.Path(self.folder.name, "launch.yaml")
        for other, refused in (("i32:10000", False), ("i32:5000", True), ("n: u32:0x1388", True), ("n: i32:10000 # n", False),
                               ("i32:?", False), ("f32:5000", False), ("i64:5000", False)):
            made = text.replace('"i32:10000"', other).encode()
            self.one.launch.write_bytes(made)
            lines = with_word(self.one.lines, self.one.place("of launch"), 2, hashlib.sha256(made).hexdigest())
            with self.subTest(other):
                if refused:
                    self.refused(lines, "does not go from")
                    continue
                decided, of_all, _ = map(int, LAUNCH.search(self.one.check(lines).stdout).groups())
                self.assertEqual(decided > of_all / 2, "10000" in other)

    def test_parts_of_paths_are_compared(self):
        self.one = Certificate(self.folder.name, self.one.cubin, *BLOCK, "--inputs", "any")
        done = self.one.check(self.one.lines)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(" instructions are those of the cubin\n", done.stdout)
        self.assertIn("; that what warps execute are parts of the paths, and miss a line once; ", done.stdout)
        self.each("code", 1, "1", "the stall of the cubin", "a stall is at least longer")
        self.refused([line for line in self.one.lines if not line.startswith("missed-once ")], "what lines miss once")
        self.refused([line for line in self.one.lines if line != "parts"], "whole paths say where they miss")

    def test_other_kernels_are_refused(self):
        self.refused(with_word(self.one.lines, 1, 2, "reducer"), "the cubin has no kernel reducer")

    def test_damaged_cubins_are_read(self):
        generator, bytes_of = random.Random(SEED), self.one.cubin.read_bytes()
        code = next(number for number, line in enumerate(self.one.lines) if line.startswith("of code "))
        damaged = pathlib.Path(self.folder.name, "damaged.cubin")
        for _ in range(300):
            made = bytearray(bytes_of[:generator.choice([len(bytes_of), generator.randrange(len(bytes_of))])])
            headers = int.from_bytes(bytes_of[0x28:0x30], "little")
            for _ in range(4):
                place = generator.choice([generator.randrange(64), headers + generator.randrange(2000)])
                if place < len(made):
                    made[place] = generator.randrange(256)
            damaged.write_bytes(made)
            lines = with_word(self.one.lines, code, 2, hashlib.sha256(made).hexdigest())
            done = self.one.check(lines, damaged)
            self.assertIn(done.returncode, (0, 2), f"seed {SEED}: {done.stderr}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
