#!/usr/bin/env python3
"""Runs the validation suite on this machine and writes a report; `make qualify` builds and calls it.

Exit status: 0 all that was asked for ran and passed, 1 something failed, 2 usage or sources that contradict
themselves, 3 nothing failed, but something that was asked for could not be run.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import sys
import time

import environment
import report
import sources
import steps

STATUS = {"verified": 0, "partial": 0, "failed": 1, "incomplete": 3}


def arguments():
    parser = argparse.ArgumentParser(description="Runs the validation suite and writes report.md and report.json.", allow_abbrev=False)
    here = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--root", type=pathlib.Path, default=here, help="the sources (those that this is a part of)")
    parser.add_argument("--build", type=pathlib.Path, help="the release build, with its tests (build)")
    parser.add_argument("--output", type=pathlib.Path, help="folder of the report (BUILD/qualification)")
    parser.add_argument("-R", "--tests", metavar="REGEX", help="only tests whose names match")
    parser.add_argument("--only", metavar="ID,...", help="only what holds requirements whose ids begin so")
    parser.add_argument("--kernels", metavar="REGEX", help="only certificates of kernels whose names match")
    parser.add_argument("--no-proofs", action="store_true", help="do not ask Coq")
    parser.add_argument("--no-certificates", action="store_true", help="write and check no certificates")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time")
    given = parser.parse_args()
    given.build = (given.build or given.root / "build").resolve()
    given.output = (given.output or given.build / "qualification").resolve()
    return given


def said(given):
    """What was asked for, in words; "everything" if nothing was left out."""
    parts = [f"tests that match {given.tests}"] if given.tests else []
    parts += [f"requirements {given.only}"] if given.only else []
    parts += [f"certificates of kernels that match {given.kernels}"] if given.kernels else []
    parts += ["no proofs"] if given.no_proofs else []
    parts += ["no certificates"] if given.no_certificates else []
    return "; ".join(parts) or "everything"


class Wanted:
    """What is to be run: tests by name, and whether proofs and certificates are."""

    def __init__(self, given, requirements, work):
        everywhere = steps.test_names(given.build, work)
        self.tests = steps.test_names(given.build, work, given.tests) if given.tests else everywhere
        self.missing = sorted({name for one in requirements.values() for name in one.held_by["tests"]} - set(everywhere))
        self.proofs = not given.no_proofs and not given.tests
        self.certificates = not given.no_certificates and (not given.tests or given.kernels is not None)
        if given.only:
            ids = tuple(given.only.split(","))
            chosen = [one for name, one in requirements.items() if name.startswith(ids)]
            if not chosen:
                raise sources.Mistake(f"--only {given.only}: no requirement begins so")
            names = {name for one in chosen for name in one.held_by["tests"]}
            self.tests = [name for name in self.tests if name in names]
            self.proofs &= any(one.held_by["theorems"] for one in chosen)
            self.certificates &= any(one.held_by["checks"] for one in chosen)


def left_out(given, wanted, everywhere, tests, why_no_proofs):
    """What was not run, and why."""
    rows = [{"what": f"test `{name}`", "why": "it is not in this build"} for name in wanted.missing]
    others = len(everywhere) - len(wanted.tests)
    if others:
        rows.append({"what": f"{others} other tests", "why": f"not asked for: {said(given)}"})
    for row in tests:
        if row["state"] == steps.NOT_RUN:
            rows.append({"what": f"test `{row['name']}`", "why": "CTest could not start it"})
        rows += [{"what": f"`{part}` of test `{row['name']}`", "why": "skipped by the test: something that it needs is not installed"}
                 for part in row["skipped"]]
    if why_no_proofs:
        rows.append({"what": "theorems", "why": why_no_proofs})
    if not wanted.certificates:
        rows.append({"what": "certificates", "why": f"not asked for: {said(given)}"})
    rows.append({"what": "tests under sanitizers, fuzzing", "why": "not part of this: `make test`, `make fuzz`"})
    return rows


def state_of_certificates(rows):
    """Of all certificates: failed if one is; not run if none was written."""
    states = {row["state"] for row in rows}
    return next((state for state in (steps.FAILED, steps.PASSED) if state in states), steps.NOT_RUN)


def validate(given, requirements, theorems):
    """Runs all that is wanted; the report as a tree."""
    begun, clock = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
    given.output.mkdir(parents=True, exist_ok=True)
    work = given.output / "work"
    work.mkdir(exist_ok=True)
    everywhere = steps.test_names(given.build, work)
    if not everywhere:
        raise sources.Mistake(f"{given.build} has no tests: make qualify builds them")
    wanted = Wanted(given, requirements, work)
    print(f"{len(wanted.tests)} tests of {len(everywhere)}", flush=True)
    tests = steps.run_tests(given.build, work, wanted.tests, given.jobs)
    proven, why_no_proofs = {theorem.name: steps.NOT_RUN for theorem in theorems}, f"not asked for: {said(given)}"
    if wanted.proofs:
        print(f"proofs: {len(theorems)} theorems", flush=True)
        proven, _, why_no_proofs = steps.check_proofs(given.root, theorems, given.output / "proofs.log")
    certificates = []
    if wanted.certificates:
        cases = [case for case in sources.kernels(given.root) if re.search(given.kernels or "", case[0])]
        print(f"certificates of {len(cases)} kernels", flush=True)
        certificates = steps.check_certificates(given.root, given.build, cases, given.jobs)
    states = {"tests": {row["name"]: row["state"] for row in tests}, "theorems": proven,
              "checks": {"certificates": state_of_certificates(certificates)}}
    holds = {row["name"]: [one.name for one in requirements.values() if row["name"] in one.held_by["tests"]] for row in tests}
    tool, listing = environment.tool(given.root, given.build)
    document = {
        "format": "warpbound-qualification", "format_version": 1, "verdict": None, "asked": said(given),
        "begun": begun.strftime("%Y-%m-%d %H:%M:%S UTC"), "seconds": time.monotonic() - clock,
        "tool": tool, "environment": environment.environment(given.root, given.build),
        "requirements": [report.judge(one, states) for one in requirements.values()
                         if not given.only or one.name.startswith(tuple(given.only.split(",")))],
        "not_run": left_out(given, wanted, everywhere, tests, why_no_proofs),
        "tests": [{**row, "holds": holds[row["name"]]} for row in tests],
        "theorems": [{"name": theorem.name, "place": theorem.place, "state": proven[theorem.name]} for theorem in theorems],
        "certificates": certificates,
        "limitations": [{"id": row[0], "section": row[1], "limitation": row[2], "what_the_tool_does": row[3]}
                        for row in sources.limitations(given.root)],
    }
    document["verdict"] = report.overall(document)
    report.write(given.output / "sources.sha256", listing)
    return document


def main():
    given = arguments()
    try:
        requirements, theorems, _ = sources.read(given.root)
        document = validate(given, requirements, theorems)
    except sources.Mistake as mistake:
        print(f"qualify: {mistake}", file=sys.stderr)
        return 2
    report.write(given.output / "report.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    report.write(given.output / "report.md", report.for_people(document))
    for row in document["requirements"]:
        if row["verdict"] == report.FAILED:
            print(f"{row['id']} failed: {row['title']}")
    print(f"{document['verdict']}: {given.output / 'report.md'}")
    return STATUS[document["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
