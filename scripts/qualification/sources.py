"""What the material for qualification is made from, read from where it is written.

Everything is read from a checkout, none of it built: requirements and limitations from their pages,
what holds them from tests/requirements, theorems from proofs/theorems, what tests say of themselves
from their first comments, known problems and coverage from their tables.
"""

import csv
import fnmatch
import pathlib
import re

REQUIREMENTS = "docs/qualification/requirements.md"
LINKS = "tests/requirements"
LIMITATIONS = "docs/limitations.md"
THEOREMS = "proofs/theorems"
KERNELS = "kernels/index.txt"
PROBLEMS = "docs/data/known-problems.csv"
COVERAGE = "docs/data/coverage.csv"
CHANGES = "CHANGELOG.md"
WRONG = ("bound", "exact", "simulated", "value", "verdict", "certificate", "theorem", "validation")
KINDS = ("tests", "theorems", "pages", "checks")
CHECKS = ("certificates", "extracted")


class Mistake(Exception):
    """Something in the sources that contradicts itself, with its place."""


class Requirement:
    """A numbered sentence, and what holds it: names by kind."""

    def __init__(self, name, section, text):
        self.name, self.section, self.text = name, section, text
        self.held_by = {kind: [] for kind in KINDS}
        self.theorems_as_written = []  # before patterns were expanded

    @property
    def title(self):
        """The words in bold that it begins with."""
        return re.match(r"\*\*(.+?)\.?\*\*", self.text).group(1)


class Theorem:
    """A line of proofs/theorems: the place on paper, and FILE:NAME."""

    def __init__(self, place, name):
        self.place, self.name = place, name


def rows(page, prefix):
    """Cells of the rows of a page's tables whose first is an id that begins with the prefix, each
    with its section."""
    section = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(prefix + r"[A-Z0-9-]*\d", cells[0]):
            yield f"{page}:{number}", section, cells


def items(page, prefix):
    """Items of the page's lists that begin with an id and the prefix: place, section, id, text."""
    section = ""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(rf"^## (.*)$|^- `({prefix}[A-Z0-9-]*\d)`(.*\n(?:  .*\n)*)", text,
                             re.MULTILINE):
        if match[1] is not None:
            section = match[1]
        else:
            place = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
            yield place, section, match[2], " ".join(match[3].split())


def requirements(root):
    """All requirements by their ids, in the order of the page, with what tests/requirements says of
    them."""
    found = {}
    for place, section, name, text in items(root / REQUIREMENTS, "REQ-"):
        if not text.startswith("**"):
            raise Mistake(f"{place}: expected - `id` **Title.** sentence")
        if name in found:
            raise Mistake(f"{place}: {name} is there twice")
        found[name] = Requirement(name, section, text)
    for number, line in enumerate((root / LINKS).read_text(encoding="utf-8").splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) < 3 or words[1] not in KINDS:
            raise Mistake(f"{LINKS}:{number}: expected an id, one of {', '.join(KINDS)}, and names")
        if words[0] not in found:
            raise Mistake(f"{LINKS}:{number}: {words[0]} is no requirement of {REQUIREMENTS}")
        names = found[words[0]].held_by[words[1]]
        for name in words[2:]:
            if name in names:
                raise Mistake(f"{LINKS}:{number}: {name} is there twice")
            names.append(name)
    return found


def limitations(root):
    """The known limitations: id, section, the limitation, what the tool does about it."""
    return [(cells[0], section, *cells[1:])
            for _, section, cells in rows(root / LIMITATIONS, "LIM-")]


def theorems(root):
    """Machine-checked theorems, in the order of proofs/theorems."""
    found = []
    for line in (root / THEOREMS).read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"([^#].*?\S) +(\S+\.v:\S+)", line)
        if match:
            found.append(Theorem(match.group(1), match.group(2)))
    return found


def kernels(root):
    """Name, code and launch file of each case of kernels/index.txt."""
    lines = (root / KERNELS).read_text(encoding="utf-8").splitlines()
    return [line.split()[:3] for line in lines if line.strip() and not line.startswith("#")]


def test_files(root):
    """The source file of each test by its name, from the lists that CMake reads."""
    found = {}
    for listing in sorted([*root.glob("tests/*/tests.cmake"),
                           *root.glob("tests/wings/*/tests.cmake")]):
        text = listing.read_text(encoding="utf-8")
        for name in re.findall(r"^\s*wb_(?:\w+_)?test\((\w+)", text, re.MULTILINE):
            if name != "name":
                found[name] = f"{listing.parent.relative_to(root)}/{name}.c"
        for name, file in re.findall(r"add_test\(NAME (\w+)\s(?:[^)]*?(tests/[\w./]+\.(?:py|sh)))?",
                                     text):
            found[name] = file or str(listing.relative_to(root))
    return found


def says_of_itself(file, name):
    """The first sentence of the first comment of a test, of one without a file of its own of the
    comment above it in its list; empty where there is none."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".cmake":
        before = text[:re.search(rf"NAME {name}\s", text).start()]
        text = re.findall(r"(?:^#[^\n]*\n)+", before, re.MULTILINE)[-1]
    match = re.match(r'\s*(?:#![^\n]*\n)?(?:/\*(.*?)\*/|"""(.*?)"""|((?:# ?[^\n]*\n)+))', text,
                     re.DOTALL)
    if match is None:
        return ""
    words = " ".join(re.sub(r"^\s*(\*|#) ?", "", line)
                     for line in next(filter(None, match.groups())).splitlines())
    words = re.sub(r"\s+", " ", words).strip()
    return re.match(r".*?(?:\.(?=\s|$)|$)", words).group(0)


def csv_rows(file):
    """Rows of a table as dictionaries; none where there is no such file."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def problems(root, tests):
    """What was too small or wrongly said: in which version, why, how it was mended, which test
    holds that."""
    text = (root / CHANGES).read_text(encoding="utf-8") if (root / CHANGES).is_file() else ""
    versions = re.findall(r"^## (\S+)$", text, re.MULTILINE)  # newest first
    found = csv_rows(root / PROBLEMS)
    for number, row in enumerate(found, 1):
        place = f"{PROBLEMS}:{number + 1}"
        if row["id"] != f"KP-{number}" or None in row or not all(row.values()):
            raise Mistake(f"{place}: expected KP-{number}, and no empty cell")
        for key in ("found_in", "mended_in"):
            if row[key] not in versions:
                raise Mistake(f"{place}: {row[key]} is no version of {CHANGES}")
        if versions.index(row["found_in"]) < versions.index(row["mended_in"]):
            raise Mistake(f"{place}: mended before it was found")
        if row["kind"] not in WRONG:
            raise Mistake(f"{place}: {row['kind']} is none of {', '.join(WRONG)}")
        for name in row["tests"].split():
            if name not in tests and name != "-":
                raise Mistake(f"{place}: {name} is no test")
    return found


def expand(requirement, names):
    """Puts the theorems that a pattern finds, such as block/*, in its place; * alone stays."""
    found = []
    requirement.theorems_as_written = requirement.held_by["theorems"]
    for name in requirement.theorems_as_written:
        matching = [name] if name == "*" or "*" not in name else fnmatch.filter(names, name)
        found += [one for one in matching or [name] if one not in found]
    requirement.held_by["theorems"] = found


def read(root):
    """Requirements, theorems and files of tests, after everything that they name was looked for."""
    root = pathlib.Path(root)
    wanted, proven, files = requirements(root), theorems(root), test_files(root)
    for requirement in wanted.values():
        expand(requirement, [theorem.name for theorem in proven])
    known = {"tests": set(files), "theorems": {theorem.name for theorem in proven} | {"*"},
             "checks": set(CHECKS)}
    for requirement in wanted.values():
        if not requirement.held_by["tests"]:
            raise Mistake(f"{LINKS}: no test holds {requirement.name}")
        for kind, names in requirement.held_by.items():
            for name in names:
                if not ((root / name).is_file() if kind == "pages" else name in known[kind]):
                    raise Mistake(f"{LINKS}: {requirement.name} names {name}, which is none of the "
                                  f"{kind} that there are")
    return wanted, proven, files
