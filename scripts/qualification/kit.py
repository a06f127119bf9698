"""What goes with the report of a validation: configuration index and validation plan, both made
before anything is run."""

import hashlib

import report
import steps

DATA = ("machines/", "kernels/", "docs/data/", "docs/schema/", "docs/limitations.md",
        "docs/qualification/", "proofs/theorems", "proofs/statements", "tests/requirements")


def sums_by_folder(files):
    """Per folder at the top how many files it has, and the SHA-256 of their lines in
    sources.sha256."""
    folders = {}
    for line in files:
        name = line.split("  ", 1)[1]
        folders.setdefault(name.split("/", 1)[0] if "/" in name else ".", []).append(line)
    return [(f"`{folder}`", len(lines), hashlib.sha256("".join(lines).encode()).hexdigest())
            for folder, lines in sorted(folders.items())]


def configuration_index(tool, where, listing):
    """Tool, sources, data files, and what built them and ran on what."""
    changed, files = tool["changed_since_commit"], listing.splitlines(keepends=True)
    lines = [("version", tool["version"]), ("commit", tool["commit"]),
             ("changed since that commit", "not known" if changed is None else ", ".join(changed)
              or "nothing"),
             ("sources", f"{tool['sources']} files, SHA-256 of their list "
                         f"{tool['sources_sha256']}")]
    lines += [(f"`{name}`", f"SHA-256 {checksum}") for name, checksum in tool["binaries"].items()]
    data = [line.split("  ", 1) for line in files if line.split("  ", 1)[1].startswith(DATA)]
    built = [(key.replace("_", " "), value) for key, value in where.items()
             if not isinstance(value, dict)]
    built += [(f"option `{name}`", value) for name, value in where["options"].items()]
    built += [(f"package `{name}`", version or "not installed")
              for name, version in where["packages"].items()]
    return ["# Configuration index of Warpbound", "",
            "For a tool configuration index (DO-330). In the folder of the sources, `sha256sum -c "
            "sources.sha256` compares them.", "",
            "## Tool", "", *report.table(("what", "which"), lines),
            "## Built with, and run on", "", *report.table(("what", "which"), built),
            "## Sources", "", *report.table(("folder", "files", "SHA-256 of their lines in "
                                             "sources.sha256"), sums_by_folder(files)),
            "## Data files", "", *report.table(("file", "SHA-256"),
                                               [(f"`{name.strip()}`", checksum)
                                                for checksum, name in data])]


def validation_plan(wanted, asked, cases, sanitized):
    """What is to be run for each requirement, and what it has to give."""
    certificates = len(cases) * len(steps.MACHINES) * 2
    lines = [("tests", f"{len(wanted.tests)}, by CTest", "status 0 of each"),
             ("tests under sanitizers", f"by CTest, {sanitized}" if sanitized else "none",
              "status 0 of each"),
             ("proofs", "`scripts/proofs`" if wanted.proofs else "none",
              "status 0, and each theorem closed"),
             ("extracted", "`scripts/proofs-extracted`" if wanted.proofs else "none", "status 0"),
             ("certificates", f"{certificates}, on {' and '.join(steps.MACHINES)}"
              if wanted.certificates else "none",
              "status 0 of `analyze` and of `warpbound-check`; status 1 for each forged claim")]
    held = [(one.name, one.text.replace("**", ""),
             " ".join(f"`{name}`" for name in one.held_by["tests"]),
             " ".join(one.theorems_as_written), " ".join(one.held_by["checks"]),
             " ".join(one.held_by["pages"])) for one in wanted.requirements]
    return ["# Validation plan of Warpbound", "",
            "For tool operational verification and validation cases (DO-330), and the validation "
            f"of ISO 26262-8, 11.4.9. Asked for: {asked}. A requirement is verified if all that "
            "holds it passes; the whole is verified if everything was asked for and ran, nothing "
            "failed, and every requirement is verified. report.md has the results; "
            "`docs/qualification/matrix.csv` says what each test does.", "",
            "## Steps", "",
            *report.table(("step", "what is run", "what has to come of it"), lines),
            "## Requirements", "",
            *report.table(("id", "requirement", "tests", "theorems", "checks", "proofs on paper"),
                          held)]
