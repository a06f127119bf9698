"""What pages say is checked by Coq is a theorem of proofs/, and docs/machine-checked.md has every line of proofs/theorems.

proofs/statements has what each of them says. Pages and proofs/theorems name a theorem FILE:NAME, as in block/Elb.v:elb; pages may also link to the file and name the
theorem behind the link. Coq is not needed: `make proofs` asks it.

usage: names_test.py
"""

import pathlib
import re
import shutil
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATEMENT = re.compile(r"^\s*(?:Theorem|Lemma|Corollary|Example)\s+([\w']+)", re.MULTILINE)
TABLE = "docs/machine-checked.md"
MENTION = re.compile(r"`((?:\w+/)*\w+\.v):([\w']+)`")
LINKED = re.compile(r"\]\((?:\.\./)+proofs/((?:\w+/)*\w+\.v)\), `([\w']+)`")


def statements(root):
    """FILE:NAME of every statement in proofs/."""
    found = set()
    for file in sorted((root / "proofs").rglob("*.v")):
        name = file.relative_to(root / "proofs").as_posix()
        found |= {f"{name}:{statement}" for statement in STATEMENT.findall(file.read_text(encoding="utf-8"))}
    return found


def listed(root):
    """FILE:NAME of the lines of proofs/theorems, in order."""
    lines = (root / "proofs/theorems").read_text(encoding="utf-8").splitlines()
    return [line.split()[-1] for line in lines if line and not line.startswith("#")]


def stated(root):
    """FILE:NAME of what proofs/statements says, whole or by its checksum."""
    text = (root / "proofs/statements").read_text(encoding="utf-8").split("# Definitions")[0]
    return set(re.findall(r"^(?:[0-9a-f]{16} )?((?:\w+/)*\w+\.v:[\w']+)$", text, re.MULTILINE))


def mentioned(page):
    """FILE:NAME of what a page names."""
    text = page.read_text(encoding="utf-8")
    return {f"{file}:{name}" for file, name in MENTION.findall(text) + LINKED.findall(text)}


def mistakes(root):
    """What is wrong, a line each."""
    there, lines = statements(root), listed(root)
    pages = {page.relative_to(root).as_posix(): mentioned(page) for page in sorted((root / "docs").rglob("*.md"))}
    wrong = [f"proofs/theorems: {name} stands there twice" for name in sorted(set(lines)) if lines.count(name) > 1]
    wrong += [f"proofs/theorems: no such statement: {name}" for name in lines if name not in there]
    wrong += [f"{page}: not in proofs/theorems: {name}" for page in pages for name in sorted(pages[page] - set(lines))]
    said = stated(root)
    wrong += [f"proofs/statements: lacks {name}: scripts/proofs-statements --write" for name in lines if name not in said]
    wrong += [f"proofs/statements: not in proofs/theorems: {name}" for name in sorted(said - set(lines))]
    wrong += [f"{TABLE}: the table lacks {name}" for name in lines if name not in pages[TABLE]]
    return wrong


class Names(unittest.TestCase):
    def test_pages_and_proofs_name_the_same_theorems(self):
        self.assertGreater(len(listed(ROOT)), 20)
        self.assertEqual(mistakes(ROOT), [])


class Mistakes(unittest.TestCase):
    """In a copy of the sources, what is wrong is found."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "proofs", self.root / "proofs")
        shutil.copytree(ROOT / "docs", self.root / "docs")

    def change(self, file, old, new):
        text = (self.root / file).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (self.root / file).write_text(text.replace(old, new), encoding="utf-8")

    def expect(self, *wrong):
        before = mistakes(ROOT)
        self.assertEqual([line for line in mistakes(self.root) if line not in before], list(wrong))

    def test_a_statement_that_is_gone(self):
        self.change("proofs/block/Elb.v", "Theorem elb ", "Theorem elb_of_all ")
        self.expect("proofs/theorems: no such statement: block/Elb.v:elb")

    def test_a_theorem_that_the_table_lacks(self):
        self.change("proofs/theorems", "# What", "one more  block/Elb.v:issue_late\n# What")
        self.expect("proofs/statements: lacks block/Elb.v:issue_late: scripts/proofs-statements --write",
                    f"{TABLE}: the table lacks block/Elb.v:issue_late")

    def test_a_statement_of_what_is_not_listed(self):
        self.change("proofs/statements", "# Examples", "block/Elb.v:issue_late\n     : True\n\n# Examples")
        self.expect("proofs/statements: not in proofs/theorems: block/Elb.v:issue_late")

    def test_a_page_that_names_what_is_not_listed(self):
        self.change("docs/README.md", "# Documentation", "# Documentation\n\nchecked: `block/Elb.v:issue_late`")
        self.expect("docs/README.md: not in proofs/theorems: block/Elb.v:issue_late")

    def test_a_link_to_what_is_not_listed(self):
        self.change("docs/README.md", "# Documentation", "# Documentation\n\n[Elb](../proofs/block/Elb.v), `issue_late`")
        self.expect("docs/README.md: not in proofs/theorems: block/Elb.v:issue_late")

    def test_a_theorem_listed_twice(self):
        self.change("proofs/theorems", "# What", "again  block/Elb.v:elb\n# What")
        self.expect("proofs/theorems: block/Elb.v:elb stands there twice")


if __name__ == "__main__":
    unittest.main()
