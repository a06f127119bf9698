"""The report of a validation, as JSON and for people. The same results give the same bytes, but for
dates and seconds."""

import os
import re
import tempfile

VERIFIED, FAILED, NOT_RUN = "verified", "failed", "not run"
WORDS = {
    "verified": "**Verified.** Every requirement was checked by all that holds it, and nothing "
    "failed.",
    "failed": "**Failed.** Something that holds a requirement failed; the requirements that are "
    "not verified are listed first.",
    "partial": "**Partial.** Only a part was asked for ({asked}). Nothing of it failed. It is no "
    "verdict on the tool.",
    "incomplete": "**Incomplete.** Nothing failed, but not all that was asked for could be run; "
    "[what was not run](#what-was-not-run) says why.",
}
HOW = {
    "tests": "test",
    "theorems": "theorem",
    "checks": "check",
}


def all_of(states):
    """Of several results: one failure decides, then one that is missing."""
    return next((state for state in ("failed", "not run") if state in states), "passed")


def judge(requirement, states):
    """The verdict on a requirement, with what did not pass. `states`: by kind and name; "*" is all
    of a kind."""
    rows = []
    for kind in HOW:
        for name in requirement.held_by[kind]:
            state = (all_of(states[kind].values()) if name == "*"
                     else states[kind].get(name, "not run"))
            rows.append({"kind": HOW[kind], "name": name, "state": state})
    return {"id": requirement.name, "section": requirement.section, "title": requirement.title,
            "verdict": all_of({row["state"] for row in rows}).replace("passed", VERIFIED),
            "held_by": rows}


def overall(document):
    """failed, partial, incomplete or verified."""
    parts = ("tests", "sanitized_tests", "theorems", "certificates", "steps")
    if "failed" in (row["state"] for part in parts for row in document[part]):
        return "failed"
    # Of a test that skipped itself the requirements speak that it holds, if everything was asked
    # for.
    excused = document["asked"] == "everything"
    if any(row["state"] == "not run" and row.get("asked", True)
           and not (excused and row.get("skipped"))
           for part in ("tests", "sanitized_tests", "certificates", "steps")
           for row in document[part]):
        return "incomplete"
    if document["asked"] != "everything":
        return "partial"
    return "verified" if all(row["verdict"] == VERIFIED
                             for row in document["requirements"]) else "incomplete"


def text_of(value):
    """A cell: links lose their targets, which are relative to other pages."""
    text = "unknown" if value is None else str(value).replace("|", "\\|")
    return re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text)


def table(head, lines):
    return [f"| {' | '.join(head)} |", "|" + " --- |" * len(head),
            *(f"| {' | '.join(map(text_of, line))} |" for line in lines), ""]


def count(rows, key, value):
    return sum(row[key] == value for row in rows)


def summary(document):
    certificates = document["certificates"]
    lines = [(name, count(rows, key, good), count(rows, key, "failed"), count(rows, key, "not run"))
             for name, rows, key, good in
             (("requirements", document["requirements"], "verdict", VERIFIED),
              ("tests", document["tests"], "state", "passed"),
              ("tests under sanitizers", document["sanitized_tests"], "state", "passed"),
              ("theorems", document["theorems"], "state", "passed"),
              ("certificates", certificates, "state", "passed"))]
    return table(("", "passed", "failed", "not run or declined"), lines)


def names_of(held):
    """Names of what holds a requirement; theorems, of which there can be many, stand below."""
    names = [f"`{row['name']}`" for row in held if row["kind"] != "theorem"]
    theorems = [row["name"] for row in held if row["kind"] == "theorem"]
    if theorems == ["*"]:
        names.append("all theorems")
    elif theorems:
        names.append(f"{len(theorems)} theorem{'s' if len(theorems) > 1 else ''}")
    return " ".join(names)


def requirements(document):
    rows = sorted(document["requirements"],
                  key=lambda row: (FAILED, NOT_RUN, VERIFIED).index(row["verdict"]))
    lines = []
    for row in rows:
        by_state = [(state, [held for held in row["held_by"] if held["state"] == state])
                    for state in ("failed", "not run", "passed")]
        words = "; ".join(f"{state}: {names_of(held)}" for state, held in by_state if held)
        lines.append((row["id"], row["title"], row["verdict"], words))
    return ["## Requirements", "", *table(("id", "requirement", "verdict", "what holds it"), lines)]


def last_lines(name, output):
    """How something failed, as a block of code."""
    return [f"The last lines of {name}, which failed:", "",
            *(f"    {line}" for line in output.splitlines()), ""] if output else []


def tests(document):
    text = ["## Tests", "", *table(("test", "result", "seconds", "holds"),
                                   [(f"`{row['name']}`", row["state"], f"{row['seconds']:.2f}",
                                     " ".join(row["holds"]))
                                    for row in document["tests"]])]
    for row in document["tests"]:
        text += last_lines(row["name"], row["output"])
    bad = [row for row in document["sanitized_tests"] if row["state"] == "failed"]
    for row in bad:
        text += last_lines(f"{row['name']}, under sanitizers", row["output"])
    return text


def theorems(document):
    text = ["## Theorems", "", *table(("theorem", "place in docs/proofs.md", "result", "holds"),
                                      [(f"`{row['name']}`", row["place"], row["state"],
                                        " ".join(row["holds"]))
                                       for row in document["theorems"]])]
    for row in document["steps"]:
        if row["state"] == "failed":
            text += last_lines(row["name"], row["words"])
    return text


def failures(document):
    """A line for each thing that failed."""
    for row in document["requirements"]:
        if row["verdict"] == FAILED:
            yield f"{row['id']} ({row['title']})"
    for part in ("tests", "sanitized_tests"):
        for row in document[part]:
            if row["state"] == FAILED:
                yield f"{part.replace('_', ' ')[:-1]} {row['name']}"
    for row in document["certificates"]:
        if row["state"] == FAILED:
            yield (f"certificate of {row['kernel']} ({row['scope']}) on {row['machine']}: "
                   f"{row['reason']}")
    for row in document["steps"]:
        if row["state"] == FAILED:
            yield f"{row['name']}: {(row['words'] or 'see above').splitlines()[-1]}"


def certificates(document):
    lines = [(row["kernel"], row["machine"], row["scope"], row["state"] if row["state"] != "not run"
              else "declined",
              row["reason"] or "; ".join(row["claims"])) for row in document["certificates"]]
    return ["## Certificates", "",
            "Each was written by `warpbound analyze --certificate`, checked by "
            "`warpbound-check --of` with code, launch and machine, and refused for other files, "
            "and when any of its claims was a cycle better.", "",
            *table(("kernel", "machine", "of", "result", "claims, or the reason"), lines)]


def not_run(document):
    lines = document["not_run"]
    return ["## What was not run", "",
            *(table(("what", "why"), [(row["what"], row["why"]) for row in lines]) if lines
              else ["Nothing was left out.", ""])]


def limitations(document):
    return ["## Known limitations", "", "As of docs/limitations.md of these sources.", "",
            *table(("id", "limitation", "what the tool does"),
                   [(row["id"], row["limitation"], row["what_the_tool_does"])
                    for row in document["limitations"]])]


def known_problems(document):
    lines = [(row["id"], row["found_in"], row["mended_in"], row["commit"], row["kind"],
              row["wrong"], row["cause"], row["mended"],
              " ".join(f"`{held['name']}`" for held in row["held_by"]) or "none", row["state"])
             for row in document["known_problems"]]
    return ["## Known problems and their history", "",
            "All that is known to have been too small or wrongly said. What has one version twice "
            "was found and mended while that was made.", "",
            *table(("id", "found in", "mended in", "by commit", "kind", "what was wrong", "cause",
                    "how it was mended", "tests", "result"), lines)]


def coverage(document):
    found = document["coverage"]
    if found is None:
        return ["## Coverage of code", "", "Not measured: `make coverage`.", ""]
    lines = []
    for row in found["folders"]:
        cells = [f"`{row['folder']}`"]
        for all_, some in (("functions", "entered"), ("lines", "run"), ("branches", "taken")):
            cells += [row[all_], f"{100 * row[some] / row[all_]:.1f} %" if row[all_] else "-"]
        lines.append(cells)
    return ["## Coverage of code", "", f"By {found['tests']} tests, on {found['date']} at commit "
            f"{found['commit']} (docs/data/coverage.csv).", "",
            *table(("folder", "functions", "entered", "lines", "run", "branches", "taken"), lines)]


def for_people(document):
    """The report in Markdown."""
    tool = document["tool"]
    text = ["# Validation report of Warpbound on this machine", "",
            WORDS[document["verdict"]].format(asked=document["asked"]), "",
            f"Begun {document['begun']}, took {document['seconds']:.0f} seconds. This report, for "
            "tool operational verification and validation results (DO-330) and the validation of "
            "ISO 26262-8, 11.4.9, says what was run and what came of it. It claims compliance with "
            "no standard: whether it is enough for a use of the tool is for whoever qualifies it.",
            "",
            f"Validated: {tool['version']}, commit {tool['commit'] or 'unknown'}, sources "
            f"{tool['sources_sha256']}; configuration-index.md has the rest, validation-plan.md "
            "what was planned.", "", *summary(document)]
    for part in (requirements, not_run, tests, theorems, certificates, limitations, known_problems,
                 coverage):
        text += part(document)
    return "\n".join(text).rstrip("\n") + "\n"


def write(file, text):
    """Writes a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, 0o644)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
