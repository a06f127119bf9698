"""The pages of docs/qualification name only what there is, and the matrix is what its sources say.

usage: pages_test.py BUILD, in the project's top folder
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "scripts/qualification"))

import environment  # noqa: E402
import matrix  # noqa: E402
import sources  # noqa: E402
import steps  # noqa: E402


class Pages(unittest.TestCase):
    def test_the_matrix_is_what_its_sources_say(self):
        checked = subprocess.run([sys.executable, "-B", ROOT / "scripts/qualification/matrix.py", "--check"],
                                 capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_tests_exist(self):
        wanted, _, files = sources.read(ROOT)
        with tempfile.TemporaryDirectory() as folder:
            there = set(steps.test_names(BUILD, pathlib.Path(folder)))
        self.assertIn("test_bounds", there)
        for requirement in wanted.values():
            for name in requirement.held_by["tests"]:
                # What only builds on Debian with objcopy have is allowed to lack elsewhere; make qualify says so. The tests of
                # a wing go with it.
                wing = pathlib.Path(files[name]).parts[1:3]
                is_gone = wing[0] == "wings" and not (ROOT / "src" / "wings" / wing[1]).is_dir()
                self.assertTrue(name in there or is_gone or name in ("library_installed", "installed", "python_module"),
                                f"{requirement.name} names {name}")

    def test_tests_say_what_they_do(self):
        wanted, _, files = sources.read(ROOT)
        for requirement in wanted.values():
            for name in requirement.held_by["tests"]:
                self.assertGreater(len(sources.says_of_itself(ROOT / files[name], name)), 20, files[name])

    def test_known_problems_were_mended_by_commits(self):
        _, _, files = sources.read(ROOT)
        # Of the repository of this project, with its history.
        if environment.git(ROOT, "rev-parse", "--is-shallow-repository") == "false":
            for row in sources.problems(ROOT, files):
                self.assertIsNotNone(environment.git(ROOT, "cat-file", "-e", row["commit"] + "^{commit}"), row["id"])

    def test_limitations_are_found(self):
        rows = sources.limitations(ROOT)
        self.assertGreater(len(rows), 20)
        self.assertTrue(all(len(row) == 4 and row[2] and row[3] for row in rows))
        self.assertEqual(len({row[0] for row in rows}), len(rows))


class Mistakes(unittest.TestCase):
    """In a copy of the sources, what is wrong is found."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for pattern in ("CHANGELOG.md", "docs/*.md", "docs/data/*.csv", "docs/qualification/*.md", "tests/*/tests.cmake", "tests/wings/*/tests.cmake", "tests/requirements", "proofs/theorems"):
            for file in ROOT.glob(pattern):
                to = self.root / file.relative_to(ROOT)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, to)

    def tearDown(self):
        self.folder.cleanup()

    def change(self, name, old, new):
        file = self.root / name
        text = file.read_text(encoding="utf-8")
        self.assertIn(old, text)
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    def refused(self, words):
        with self.assertRaisesRegex(sources.Mistake, words):
            sources.read(self.root)

    def test_the_copy_is_right(self):
        sources.read(self.root)

    def test_requirement_without_a_test(self):
        self.change(sources.REQUIREMENTS, "- `REQ-KIND-2`", "- `REQ-KIND-99` **New.** Nobody tests it.\n- `REQ-KIND-2`")
        self.refused("no test holds REQ-KIND-99")

    def test_requirement_that_is_not_there(self):
        self.change(sources.LINKS, "REQ-EST-1 ", "REQ-EST-7 ")
        self.refused("REQ-EST-7 is no requirement")

    def test_number_given_twice(self):
        self.change(sources.REQUIREMENTS, "- `REQ-KIND-2`", "- `REQ-KIND-1`")
        self.refused("REQ-KIND-1 is there twice")

    def test_test_that_is_not_there(self):
        self.change(sources.LINKS, "test_refutations", "test_refutation")
        self.refused("REQ-EST-1 names test_refutation,")

    def test_theorem_that_is_not_there(self):
        self.change(sources.THEOREMS, "examples/Examples.v:gub_refuted", "examples/Examples.v:gub_refuted_now")
        self.refused("REQ-EST-1 names examples/Examples.v:gub_refuted,")

    def test_theorem_that_holds_nothing(self):
        self.change(sources.LINKS, "theorems  memory/*", "theorems  memory/Waits.v:*")
        self.assertIn("no requirement names memory/HeldMemory.v:k_mem", "\n".join(matrix.wrong_names(self.root)))

    def test_test_that_holds_nothing(self):
        self.change(sources.LINKS, " test_section_game", "")
        self.assertIn("no requirement names test_section_game", "\n".join(matrix.wrong_names(self.root)))

    def test_pattern_that_finds_nothing(self):
        self.change(sources.LINKS, "block/*", "blocks/*")
        self.refused(r"REQ-UPPER-1 names blocks/\*,")

    def test_page_that_is_not_there(self):
        (self.root / "docs/wave-bounds.md").unlink()
        self.refused("REQ-UPPER-4 names docs/wave-bounds.md")

    def test_known_problems(self):
        _, _, files = sources.read(self.root)
        self.assertGreater(len(sources.problems(self.root, files)), 40)
        for old, new, words in (("KP-2,", "KP-3,", "expected KP-2"), ("KP-2,0.1.0,", "KP-2,0.0.9,", "0.0.9 is no version"),
                                ("KP-2,0.1.0,0.1.0,", "KP-2,Unreleased,0.1.0,", "mended before"), (",theorem,", ",lemma,", "lemma is none of"),
                                ("test_contention", "test_contended", "test_contended is no test"), ("covering paths", "", "no empty cell")):
            with self.subTest(new):
                text = (self.root / sources.PROBLEMS).read_text(encoding="utf-8")
                self.assertIn(old, text)
                if new == "":
                    old = text.splitlines()[1].split(",")[5]
                (self.root / sources.PROBLEMS).write_text(text.replace(old, new, 1), encoding="utf-8")
                with self.assertRaisesRegex(sources.Mistake, words):
                    sources.problems(self.root, files)
                (self.root / sources.PROBLEMS).write_text(text, encoding="utf-8")

    def test_folder_that_was_not_covered(self):
        with (self.root / sources.COVERAGE).open("a", encoding="utf-8") as file:
            file.write("folder\nsrc/nothing\n")
        self.assertIn("src/nothing does not exist", "\n".join(matrix.wrong_names(self.root)))

    def test_names_in_pages(self):
        page = "docs/qualification/failure-modes.md"
        with (self.root / page).open("a", encoding="utf-8") as file:
            file.write("\nREQ-NONE-1, `test_of_nothing`, `block/None.v:none`, LIM-999, [a page](none.md)\n")
        found = "\n".join(matrix.wrong_names(self.root))
        for name in ("REQ-NONE-1", "test_of_nothing", "block/None.v:none", "LIM-999", "none.md"):
            self.assertIn(name, found)


if __name__ == "__main__":
    unittest.main()
