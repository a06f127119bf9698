#!/usr/bin/env python3
"""Runs the validation suite on this machine and writes configuration index, validation plan and
report; `make qualify` builds and calls it.

Exit status: 0 all that was asked for ran and passed, 1 something failed, 2 usage or sources that
contradict themselves, 3 nothing failed, but something that was asked for could not be run.
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
import kit
import page
import report
import sources
import steps

STATUS = {"verified": 0, "partial": 0, "failed": 1, "incomplete": 3}


def arguments():
    parser = argparse.ArgumentParser(description="Runs the validation suite and writes report.md, "
                                     "report.html and report.json.", allow_abbrev=False)
    here = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--root", type=pathlib.Path, default=here,
                        help="the sources (those that this is a part of)")
    parser.add_argument("--build", type=pathlib.Path,
                        help="the release build, with its tests (build)")
    parser.add_argument("--sanitized", type=pathlib.Path, metavar="BUILD",
                        help="a build with sanitizers, whose tests are run, too")
    parser.add_argument("--output", type=pathlib.Path,
                        help="folder of the report (BUILD/qualification)")
    parser.add_argument("-R", "--tests", metavar="REGEX", help="only tests whose names match")
    parser.add_argument("--only", metavar="ID,...",
                        help="only what holds these requirements: REQ-CERT-1, or REQ-CERT for all "
                        "of them")
    parser.add_argument("--kernels", metavar="REGEX",
                        help="only certificates of kernels whose names match")
    parser.add_argument("--no-proofs", action="store_true", help="do not ask Coq")
    parser.add_argument("--no-certificates", action="store_true",
                        help="write and check no certificates")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time")
    given = parser.parse_args()
    given.root = given.root.resolve()
    given.build = (given.build or given.root / "build").resolve()
    given.sanitized = given.sanitized and given.sanitized.resolve()
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


def chosen(given, requirements):
    """The requirements that are asked for: all, or those whose ids are named, whole or up to a
    dash."""
    if not given.only:
        return list(requirements.values())
    found = [one for name, one in requirements.items()
             if any(name == asked or name.startswith(asked + "-")
                    for asked in given.only.split(","))]
    if not found:
        raise sources.Mistake(f"--only {given.only}: there is no such requirement")
    return found


class Wanted:
    """What is to be run: tests by name, and whether proofs and certificates are."""

    def __init__(self, given, requirements, work):
        everywhere = steps.test_names(given.build, work)
        self.others = len(everywhere)
        self.requirements = chosen(given, requirements)
        named = {name for one in self.requirements for name in one.held_by["tests"]}
        self.missing = sorted(named - set(everywhere))
        self.tests = steps.test_names(given.build, work, given.tests) if given.tests else everywhere
        self.proofs, self.certificates = not given.no_proofs, not given.no_certificates
        if given.tests:
            self.proofs = False
            self.certificates &= given.kernels is not None
        if given.only:
            self.tests = [name for name in self.tests if name in named]
            checks = {name for one in self.requirements for name in one.held_by["checks"]}
            self.proofs &= "extracted" in checks or any(one.held_by["theorems"]
                                                        for one in self.requirements)
            self.certificates &= "certificates" in checks
        if given.tests and not self.tests:
            raise sources.Mistake(f"-R {given.tests}: there is no such test")
        self.others -= len(self.tests)


def left_out(given, wanted, document):
    """What was not run, and why."""
    rows = [{"what": f"test `{name}`", "why": "it is not in this build"} for name in wanted.missing]
    if wanted.others:
        rows.append({"what": f"{wanted.others} other tests",
                     "why": f"not asked for: {said(given)}"})
    for row in document["tests"] + document["sanitized_tests"]:
        if row["state"] == steps.NOT_RUN:
            rows.append({"what": f"test `{row['name']}`",
                         "why": (row["skipped"] or ["CTest could not start it"])[0]})
            continue
        rows += [{"what": f"`{part}` of test `{row['name']}`",
                  "why": "skipped by the test: something that it needs is not there"}
                 for part in row["skipped"]]
    rows += [{"what": row["name"], "why": row["words"]} for row in document["steps"]
             if row["state"] == steps.NOT_RUN]
    if not given.sanitized:
        rows.append({"what": "tests under sanitizers",
                     "why": "not asked for: `make qualify SANITIZED=1`, or `make test`"})
    rows.append({"what": "fuzzing, long random campaigns",
                 "why": "not part of this: `make fuzz`, `make campaign`"})
    return rows


def worst(states):
    """Of several results: failed if one is, passed if one did."""
    return next((state for state in (steps.FAILED, steps.PASSED) if state in states), steps.NOT_RUN)


def holds(requirements, kind, name):
    """The requirements that a test or theorem holds."""
    return [one.name for one in requirements.values() if name in one.held_by[kind]]


def run_steps(given, wanted, cases, theorems):
    """Proofs and certificates: states of theorems, certificates, and what came of each step."""
    asked = f"not asked for: {said(given)}"
    proven, certificates = dict.fromkeys((one.name for one in theorems), steps.NOT_RUN), []
    done = [steps.step(name, steps.NOT_RUN, asked, False)
            for name in ("proofs", "extracted", "certificates")]
    if wanted.proofs:
        print(f"proofs: {len(theorems)} theorems", flush=True)
        log = given.output / "proofs.log"
        log.unlink(missing_ok=True)
        proven, done[0] = steps.check_proofs(given.root, theorems, log)
        done[1] = steps.compare_extracted(given.root, log, done[0]["state"])
    if wanted.certificates:
        print(f"certificates of {len(cases)} kernels", flush=True)
        certificates = steps.check_certificates(given.root, given.build, cases, given.jobs)
        state = worst({row["state"] for row in certificates})
        wrong = sum(row["state"] == steps.FAILED for row in certificates)
        done[2] = steps.step("certificates", state, {
            steps.NOT_RUN: "there are no kernels",
            steps.FAILED: f"{wrong} of {len(certificates)} failed"}.get(state))
    return proven, certificates, done


def run_tests(given, wanted, build, work):
    """Results of the tests of a build; those under sanitizers are fewer, as some are left out
    there."""
    work.mkdir(parents=True, exist_ok=True)
    there = set(steps.test_names(build, work))
    names = [name for name in wanted.tests if name in there]
    print(f"{len(names)} tests of {build.name}", flush=True)
    return steps.run_tests(build, work, names, given.jobs)


def known_problems(root, files, states):
    """Their history, and whether what holds each now passes."""
    for row in sources.problems(root, files):
        held = [{"name": name, "state": states.get(name, steps.NOT_RUN)}
                for name in row.pop("tests").split() if name != "-"]
        state = report.all_of({one["state"] for one in held}) if held else steps.NOT_RUN
        yield {**row, "held_by": held, "state": state}


def coverage(root):
    """The figures of docs/data/coverage.csv, None where there is none."""
    found = sources.csv_rows(root / sources.COVERAGE)
    if not found:
        return None
    return {"date": found[0]["date"], "commit": found[0]["commit"], "tests": int(found[0]["tests"]),
            "folders": [{key: value if key == "folder" else int(value)
                         for key, value in row.items() if key not in ("date", "commit", "tests")}
                        for row in found]}


def write_page(output, name, text):
    """For readers of text, and for browsers."""
    report.write(output / f"{name}.md", text)
    report.write(output / f"{name}.html", page.of_markdown(text))


def validate(given, requirements, theorems, files):
    """Runs all that is wanted; the report as a tree. Index and plan are written before."""
    begun, clock = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
    work = given.output / "work"
    work.mkdir(parents=True, exist_ok=True)
    for build in filter(None, (given.build, given.sanitized)):
        if not steps.test_names(build, work):
            raise sources.Mistake(f"{build} has no tests: make qualify builds them")
    wanted = Wanted(given, requirements, work)
    tool, listing = environment.tool(given.root, given.build)
    where = environment.environment(given.root, given.build)
    cases = [case for case in sources.kernels(given.root)
             if re.search(given.kernels or "", case[0])]
    write_page(given.output, "configuration-index",
               "\n".join(kit.configuration_index(tool, where, listing)))
    write_page(given.output, "validation-plan", "\n".join(
        kit.validation_plan(wanted, said(given), cases, given.sanitized and given.sanitized.name)))
    tests, how = run_tests(given, wanted, given.build, work)
    sanitized, how_sanitized = run_tests(given, wanted, given.sanitized, given.output
                                         / "work-sanitized") if given.sanitized else ([], None)
    proven, certificates, done = run_steps(given, wanted, cases, theorems)
    if tool["version"] is None:
        done.append(steps.step("version", steps.FAILED, "warpbound --version fails"))
    done += [steps.step(name, steps.FAILED, words) for name, words in
             (("tests", how), ("sanitized tests", how_sanitized)) if words]
    found = {}
    for row in tests + sanitized:
        found.setdefault(row["name"], set()).add(row["state"])
    states = {"tests": {name: worst(results) for name, results in found.items()},
              "theorems": proven,
              "checks": {row["name"]: row["state"] for row in done}}
    after, listing_after = environment.tool(given.root, given.build)
    if (after["binaries"], listing_after) != (tool["binaries"], listing):
        raise sources.Mistake("sources or programs changed while this ran: begin again")
    document = {
        "format": {"name": "warpbound-qualification", "version": 1}, "verdict": None,
        "asked": said(given),
        "begun": begun.strftime("%Y-%m-%d %H:%M:%S UTC"), "seconds": time.monotonic() - clock,
        "tool": tool, "environment": where,
        "requirements": [report.judge(one, states) for one in wanted.requirements],
        "tests": [{**row, "holds": holds(requirements, "tests", row["name"])} for row in tests],
        "sanitized_tests": sanitized,
        "theorems": [{"name": one.name, "place": one.place, "state": proven[one.name],
                      "holds": holds(requirements, "theorems", one.name)} for one in theorems],
        "certificates": certificates, "steps": done,
        "limitations": [{"id": row[0], "section": row[1], "limitation": row[2],
                         "what_the_tool_does": row[3]}
                        for row in sources.limitations(given.root)],
        "known_problems": list(known_problems(given.root, files, states["tests"])),
        "coverage": coverage(given.root),
    }
    document["not_run"] = left_out(given, wanted, document)
    document["verdict"] = report.overall(document)
    report.write(given.output / "sources.sha256", listing)
    return document


def main():
    given = arguments()
    try:
        requirements, theorems, files = sources.read(given.root)
        document = validate(given, requirements, theorems, files)
    except sources.Mistake as mistake:
        print(f"qualify: {mistake}", file=sys.stderr)
        return 2
    report.write(given.output / "report.json", json.dumps(document, indent=1, ensure_ascii=False)
                 + "\n")
    write_page(given.output, "report", report.for_people(document))
    for line in report.failures(document):
        print(f"failed: {line}")
    print(f"{document['verdict']}: {given.output / 'report.md'}")
    return STATUS[document["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
