#!/usr/bin/env python3
"""Makes docs/qualification/matrix.md: from requirement to tests, theorems and pages, and back.

usage: matrix.py            writes the page
       matrix.py --check    says what is wrong with the page and with what the other pages name, and fails

Everything comes from sources.py; the test `qualification` runs --check, and asks CTest whether the tests exist.
"""

import pathlib
import re
import sys

import sources

PAGE = "docs/qualification/matrix.md"
HEAD = """# From requirement to test and theorem, and back

Made by `scripts/qualification/matrix.py` from [requirements.md](requirements.md), [tests/requirements](../../tests/requirements), [proofs/theorems](../../proofs/theorems) and the first comments of the tests; the
test `qualification` fails where this page is not what they say. *Theorems* are checked by Coq (`make proofs`), `block/*` are all of that folder; *on paper* are the pages with the proofs of what Coq has not seen, or not all of. A test that passes shows
that no counterexample is among what it tries; most compare with an independent second way to the same number.
"""


def cell(names):
    return " ".join(f"`{name}`" for name in names)


def link(page):
    return f"[{page.removeprefix('docs/')}](../{page.removeprefix('docs/')})"


def table(head, lines):
    return [f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *(f"| {' | '.join(line)} |" for line in lines), ""]


def by_requirement(wanted):
    lines, section = [], None
    for requirement in wanted.values():
        if requirement.section != section:
            section = requirement.section
            lines.append((section, []))
        held = requirement.held_by
        checks = [f"`make qualify`: {name}" for name in held["checks"]]
        lines[-1][1].append((requirement.name, requirement.title, " ".join([cell(held["tests"]), *checks]),
                             cell(requirement.theorems_as_written), " ".join(link(page) for page in held["pages"])))
    return lines


def holders(wanted):
    """Tests in the order in which they appear first, each with the requirements that name it."""
    found = {}
    for requirement in wanted.values():
        for name in requirement.held_by["tests"]:
            found.setdefault(name, []).append(requirement.name)
    return found


def as_written(wanted):
    """Theorems as tests/requirements writes them, each with the requirements that name it so."""
    found = {}
    for requirement in wanted.values():
        for pattern in requirement.theorems_as_written:
            found.setdefault(pattern, []).append(requirement.name)
    return found


def make(root):
    wanted, _, files = sources.read(root)
    text = HEAD.splitlines() + [""]
    for section, lines in by_requirement(wanted):
        text += [f"## {section}", ""]
        text += table(("requirement", "", "tests", "theorems", "on paper"), lines)
    text += ["## Tests", "", "What each says of itself, and what it holds.", ""]
    text += table(("test", "what it does", "holds"),
                  [(f"[{name}](../../{files[name]})", sources.says_of_itself(root / files[name], name).replace("|", "\\|"), " ".join(ids))
                   for name, ids in sorted(holders(wanted).items())])
    text += ["## Theorems", "", "Each line of [proofs/theorems](../../proofs/theorems) is a theorem, with its place in [proofs.md](../proofs.md); its folder, or its name, says what it holds. The report",
             "of `make qualify` lists them one by one.", ""]
    text += table(("theorems", "hold"), [(f"`{pattern}`", " ".join(ids)) for pattern, ids in as_written(wanted).items()])
    return "\n".join(text).rstrip("\n") + "\n"


def wrong_names(root):
    """What the pages of docs/qualification and the list of limitations name and there is not."""
    wanted, proven, files = sources.read(root)
    limits = {row[0] for row in sources.limitations(root)}
    theorems = {theorem.name for theorem in proven}
    pages = sorted((root / "docs/qualification").glob("*.md")) + [root / sources.LIMITATIONS]
    for page in pages:
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
        page = root / PAGE
        if "--check" not in sys.argv[1:]:
            page.write_text(made, encoding="utf-8")
            return 0
        mistakes = list(wrong_names(root))
        if not page.is_file() or page.read_text(encoding="utf-8") != made:
            mistakes.append(f"{PAGE} is not what its sources say: run scripts/qualification/matrix.py")
    except sources.Mistake as mistake:
        mistakes = [str(mistake)]
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
