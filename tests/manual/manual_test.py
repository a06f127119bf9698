"""Manual pages: each command has one, with all of its options, and the library one, with all of its functions; man, groff and
mandoc have nothing to say of them.

usage: manual_test.py COMMAND BUILD, in the project's top folder
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import helped

PROGRAM, BUILD = sys.argv[1:3]
PAGES = sorted(pathlib.Path(BUILD, "manual/pages/man1").iterdir())
LIBRARY = pathlib.Path(BUILD, "manual/pages/man3/libwarpbound.3")
HELP = helped.Help(PROGRAM)

# Pages are of a version, whenever they were made.
ALLOWED = ["missing date"]


def plain(source):
    """The words of a page."""
    text = re.sub(r"^\.\\\".*|^\.[A-Z]+ ?", "", source, flags=re.MULTILINE)
    text = re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\(aq", "'").replace("\\(dq", '"').replace("\\e", "\\")
    return re.sub(r"\s+", " ", text)


class Pages(unittest.TestCase):
    def test_every_command_has_one(self):
        names = ["warpbound", "warpbound-check"] + ["warpbound-" + command for command in HELP.commands]
        self.assertGreater(len(names), 10)
        self.assertEqual([page.name for page in PAGES], sorted(name + ".1" for name in names))

    def test_they_are_what_the_program_prints(self):
        for command in HELP.commands:
            page = pathlib.Path(BUILD, "manual/pages/man1", f"warpbound-{command}.1").read_text()
            for locale, zone in (("C", "UTC"), ("de_DE.UTF-8", "Asia/Tokyo")):
                environment = {**os.environ, "LC_ALL": locale, "TZ": zone, "COLUMNS": "50"}
                text = subprocess.run(
                    [PROGRAM, "manual", command], check=True, capture_output=True, text=True, cwd="/", env=environment
                ).stdout
                self.assertEqual(text, page)

    def test_options_are_those_of_help(self):
        for command in HELP.commands:
            page = pathlib.Path(BUILD, "manual/pages/man1", f"warpbound-{command}.1").read_text()
            given = re.findall(r"^\.TP\n(?:\\fB\\-(\w)\\fR, )?\\fB\\-\\-(\S+?)\\fR", page, re.MULTILINE)
            self.assertEqual([(letter or None, name.replace("\\-", "-")) for letter, name in given], HELP.options(command))

    def test_they_say_what_help_says(self):
        for command in HELP.commands:
            words = plain(pathlib.Path(BUILD, "manual/pages/man1", f"warpbound-{command}.1").read_text())
            for title in ("methods", "policies", "schemes"):
                for name in HELP.names(command, title):
                    self.assertIn(f" {name} ", words)
            examples = re.findall(r"^  (warpbound .*)", HELP.text(command), re.MULTILINE)
            self.assertTrue(examples)
            for example in examples:
                self.assertIn(example, words)

    def test_each_says_more_than_its_first_line(self):
        for page in PAGES:
            name, description = re.search(r"^\.SH NAME\n.*? \\- (.*)\n(?:.|\n)*?^\.SH DESCRIPTION\n((?:.|\n)*?)^\.S", page.read_text(), re.MULTILINE).groups()
            self.assertNotEqual(name.strip(), description.strip(), page.name)

    def test_the_library_has_all_of_its_headers(self):
        header = "".join(path.read_text() for path in (pathlib.Path("include/warpbound.h"), *pathlib.Path("src/wings").glob("*/include/*.h")))
        page = plain(LIBRARY.read_text())
        code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        functions = set(re.findall(r"\bwb_[a-z0-9_]+ *(?=\()", code))
        self.assertGreater(len(functions), 200)
        for name in [*functions, *re.findall(r"\bWB_[A-Z0-9_]+\b", code)]:
            self.assertIn(name, page)
        comments = re.findall(r"^/\*(?! ----)(.*?)\*/", header, flags=re.DOTALL | re.MULTILINE)
        self.assertGreater(len(comments), 200)
        squeezed = re.sub(r"\s|`", "", page.replace("\\:", ""))
        for comment in comments[1:]:
            words = re.sub(r"\s|`", "", re.sub(r"^ \*", "", comment, flags=re.MULTILINE))
            self.assertIn(words, squeezed)

    def test_no_word_of_where_they_were_made(self):
        for page in [*PAGES, LIBRARY]:
            self.assertNotIn(str(BUILD), page.read_text())
            self.assertTrue(page.read_text().isascii())

    def test_man_and_groff_have_no_warning(self):
        for tool in (["man", "--warnings=w", "-Tutf8", "-l"], ["groff", "-man", "-ww", "-Tutf8"]):
            if shutil.which(tool[0]) is None:
                print(f"{tool[0]}: not installed")
                continue
            run = subprocess.run([*tool, *PAGES, LIBRARY], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "MANPAGER": "cat"})
            self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_mandoc_has_no_warning(self):
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not installed")
        run = subprocess.run(["mandoc", "-T", "lint", *PAGES, LIBRARY], stdout=subprocess.PIPE, text=True)
        said = [line for line in run.stdout.splitlines() if not any(allowed in line for allowed in ALLOWED)]
        self.assertEqual(said, [])


class Installed(unittest.TestCase):
    def test_where_man_and_shells_look(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["cmake", f"-DCMAKE_INSTALL_PREFIX={folder}", "-P", f"{BUILD}/manual/cmake_install.cmake"], check=True, stdout=subprocess.DEVNULL
            )
            files = {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file()}
        shells = {"bash-completion/completions/warpbound", "zsh/site-functions/_warpbound", "fish/vendor_completions.d/warpbound.fish"}
        self.assertEqual(files, {f"share/{name}" for name in shells} | {f"share/man/man1/{page.name}" for page in PAGES} | {"share/man/man3/libwarpbound.3"})


class Command(unittest.TestCase):
    def test_refusals(self):
        for arguments, text in (
            (["manual", "analyse"], "did you mean analyze?"),
            (["manual", "cfg", "path"], "manual: expected one command"),
            (["completion"], "expected a shell: bash, zsh or fish"),
            (["completion", "tcsh"], "expected a shell: bash, zsh or fish"),
        ):
            run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn(text, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
