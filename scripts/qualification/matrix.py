#!/usr/bin/env python3
"""Makes docs/qualification/matrix.csv: which tests, theorems, proofs on paper and checks hold each
requirement.

usage: matrix.py            writes the file
       matrix.py --check    says what is wrong with the file and with what the pages name, and fails

Everything comes from sources.py; the test `qualification` runs --check, and asks CTest whether the
tests exist.
"""

import csv
import io
import pathlib
import re
import sys

import sources

MATRIX = "docs/qualification/matrix.csv"
COLUMNS = ("requirement", "section", "title", "kind", "name", "file", "says")
KINDS = {"tests": "test", "theorems": "theorem", "pages": "proof on paper",
         "checks": "check of make qualify"}


def rows(root):
    """A row for each requirement and each name in tests/requirements that holds it, in the order of
    the page."""
    wanted, _, files = sources.read(root)
    for requirement in wanted.values():
        for kind, held in requirement.held_by.items():
            for name in requirement.theorems_as_written if kind == "theorems" else held:
                file = files[name] if kind == "tests" else name if kind == "pages" else ""
                says = sources.says_of_itself(root / file, name) if kind == "tests" else ""
                yield (requirement.name, requirement.section, requirement.title,
                       KINDS[kind], name, file, says)


def make(root):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(root))
    return text.getvalue()


def wrong_names(root):
    """What the matrix, the pages of docs/qualification and the tables of limitations, known
    problems and coverage name and does not exist."""
    wanted, proven, files = sources.read(root)
    sources.problems(root, files)
    for row in sources.csv_rows(root / sources.COVERAGE):
        if row["folder"] != "all" and not (root / row["folder"]).is_dir():
            yield f"{sources.COVERAGE}: {row['folder']} does not exist"
    limits = {row[0] for row in sources.limitations(root)}
    theorems = {theorem.name for theorem in proven}
    held = set().union(*(one.held_by["theorems"] for one in wanted.values()))
    for name in sorted(theorems - held):
        if not name.startswith("examples/"):
            yield f"{sources.LINKS}: no requirement names {name}"
    held = set().union(*(one.held_by["tests"] for one in wanted.values()))
    for name in sorted(set(files) - held):
        yield f"{sources.LINKS}: no requirement names {name}"
    for file in sorted({files[name] for one in wanted.values() for name in one.held_by["tests"]}):
        if not (root / file).is_file():
            yield f"{MATRIX}: {file} does not exist"
    for page in sorted((root / "docs/qualification").glob("*.md")) + [root / sources.LIMITATIONS]:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"\b(?:REQ|LIM)-[A-Z0-9-]*\d\b", text):
            if name not in wanted and name not in limits:
                yield f"{page}: {name} is neither a requirement nor a limitation"
        for name in re.findall(r"`(test_\w+)`", text):
            if name not in files:
                yield f"{page}: {name} is no test"
        for name in re.findall(r"`([\w/]+\.v:\w+)`", text):
            if name not in theorems:
                yield f"{page}: {name} is not in {sources.THEOREMS}"
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not (page.parent / target).exists():
                yield f"{page}: {target} does not exist"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    try:
        made = make(root)
        file = root / MATRIX
        if "--check" not in sys.argv[1:]:
            file.write_text(made, encoding="utf-8")
            return 0
        mistakes = list(wrong_names(root))
        if not file.is_file() or file.read_text(encoding="utf-8") != made:
            mistakes.append(f"{MATRIX} is not what its sources say: run "
                            "scripts/qualification/matrix.py")
    except sources.Mistake as mistake:
        mistakes = [str(mistake)]
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
