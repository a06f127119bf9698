"""The report of a validation: of a small project with tests that pass, fail, skip and are not there, and of a few tests
of this one. Each is what its schema says, and the page for browsers says what the text does.

usage: report_test.py BUILD, in the project's top folder
"""

import copy
import hashlib
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "scripts/qualification"))

import environment  # noqa: E402
import report  # noqa: E402
import steps  # noqa: E402

SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "docs/schema/qualification.schema.json").read_text(encoding="utf-8")))

REQUIREMENTS = """# Requirements

## First

- `REQ-A-1` **Holds.** It holds.
- `REQ-A-2` **Breaks.** It does not
  hold.

## Second

- `REQ-B-1` **Is proven.** And tested.
- `REQ-B-2` **Cannot start.** There is no such program.
"""
LIMITATIONS = """# Limitations

## All

| id | limitation | what the tool does |
| --- | --- | --- |
| LIM-1 | It is [small](x.md). | nothing |
"""
LINKS = """REQ-A-1  tests     good skips
REQ-A-2  tests     good bad
REQ-B-1  tests     good
REQ-B-1  theorems  a/B.v:c
REQ-B-2  tests     none
"""
PROBLEMS = """id,found_in,mended_in,commit,kind,wrong,cause,mended,tests
KP-1,0.1,Unreleased,12345678,bound,5 of 6,haste,6,good bad
KP-2,0.1,0.1,12345678,theorem,all,none,dropped,-
"""
COVERAGE = """folder,functions,entered,lines,run,branches,taken,tests,date,commit
all,2,1,10,9,0,0,7,2026-11-30,12345678
"""
LISTING = "".join(f"wb_test({name} x)\n" for name in ("good", "bad", "skips", "none", "without"))
CTEST = """add_test(good "true")
add_test(bad "sh" "-c" "echo 4711 is wrong; exit 1")
add_test(skips "echo" "[  SKIPPED ] part_of_it")
add_test(none "/nowhere/none")
add_test(without "sh" "-c" "echo skipped: there is no cluster; exit 77")
set_tests_properties(without PROPERTIES SKIP_RETURN_CODE 77)
"""
PROOFS = "#!/bin/sh\necho 'the place       proofs/a/B.v:c: {}'\n"


def write(root, name, text):
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def qualify(*options, **environ):
    """Status, and what was printed."""
    done = subprocess.run([sys.executable, "-B", ROOT / "scripts/qualification/qualify.py", *map(str, options)],
                          capture_output=True, text=True, check=False, env={**os.environ, **environ})
    return done.returncode, done.stdout + done.stderr


def shortened(value):
    """The same with two items of each list, so that every place of it is tried soon."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    return [shortened(inner) for inner in value[:2]] if isinstance(value, list) else value


def places(value, path=()):
    yield path
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, step))


def wrong_documents(document):
    """The document with one thing wrong: a key that no schema has, a value of a wrong type; the place, and the document."""
    for path in places(document):
        for extra in (False, True):
            wrong = {"": copy.deepcopy(document)}
            at, last = wrong, ""
            for step in path:
                at, last = at[last], step
            if extra and isinstance(at[last], dict):
                at[last]["undocumented"] = [0]
                yield path, wrong[""]
            elif not extra:
                at[last] = {"wrong": [True]}
                yield path, wrong[""]


class Words(html.parser.HTMLParser):
    """The words of a page, and the elements that are open."""

    def __init__(self):
        super().__init__()
        self.words, self.open = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words += re.findall(r"\w+", data)


def words_of_page(text):
    page = Words()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    return page.words


class SmallProject(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name).resolve()
        for name, text in (("docs/qualification/requirements.md", REQUIREMENTS), ("docs/limitations.md", LIMITATIONS),
                           ("tests/requirements", LINKS), ("tests/all/tests.cmake", LISTING),
                           ("proofs/theorems", "the place  a/B.v:c\n"), ("build/CTestTestfile.cmake", CTEST),
                           ("kernels/index.txt", "# none\n"), ("CHANGELOG.md", "## Unreleased\n\n## 0.1\n"),
                           ("docs/data/known-problems.csv", PROBLEMS), ("docs/data/coverage.csv", COVERAGE)):
            write(self.root, name, text)
        write(self.root, "build/warpbound", "#!/bin/sh\necho warpbound 0.1\n").chmod(0o755)
        write(self.root, "scripts/proofs", PROOFS.format("closed")).chmod(0o755)

    def tearDown(self):
        self.folder.cleanup()

    def report(self, *options):
        """Status and report of a run; what both files say is compared."""
        status, said = qualify("--root", self.root, "--no-certificates", *options)
        folder = self.root / "build/qualification"
        document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        SCHEMA.validate(document)
        text = (folder / "report.md").read_text(encoding="utf-8")
        page = words_of_page((folder / "report.html").read_text(encoding="utf-8"))
        self.assertLessEqual(set(re.findall(r"\w+", re.sub(r"\(#[\w-]+\)", "", text))), set(page))
        for row in document["requirements"]:
            self.assertRegex(text, rf"(?m)^\| {row['id']} \| {row['title']} \| {row['verdict']} \|")
        self.assertIn(f"{document['verdict']}: ", said)
        self.assertEqual(sorted(file.name for file in folder.iterdir()
                                if file.name not in ("proofs.log", "work-sanitized")),
                         ["configuration-index.html", "configuration-index.md", "report.html", "report.json", "report.md",
                          "sources.sha256", "validation-plan.html", "validation-plan.md", "work"])
        return status, document, text

    @staticmethod
    def verdicts(document):
        return {row["id"]: row["verdict"] for row in document["requirements"]}

    def test_a_failure_is_reported(self):
        status, document, text = self.report("--no-proofs")
        self.assertEqual((status, document["verdict"]), (1, "failed"))
        self.assertEqual(self.verdicts(document),
                         {"REQ-A-1": "verified", "REQ-A-2": "failed", "REQ-B-1": "not run", "REQ-B-2": "not run"})
        self.assertIn("**Failed.**", text)
        self.assertIn("    4711 is wrong", text)
        self.assertLess(text.index("| REQ-A-2 |"), text.index("| REQ-A-1 |"))
        self.assertIn("| `part_of_it` of test `skips` |", text)
        self.assertIn("| test `none` | CTest could not start it |", text)
        self.assertIn("| LIM-1 | It is small. | nothing |", text)

    def test_known_problems_and_coverage(self):
        _, document, text = self.report("--no-proofs")
        self.assertEqual([row["state"] for row in document["known_problems"]], ["failed", "not run"])
        self.assertIn("| KP-1 | 0.1 | Unreleased | 12345678 | bound | 5 of 6 | haste | 6 | `good` `bad` | failed |", text)
        self.assertIn("| `all` | 2 | 50.0 % | 10 | 90.0 % | 0 | - |", text)

    def test_index_and_plan(self):
        self.report("--only", "REQ-B-1")
        folder = self.root / "build/qualification"
        index = (folder / "configuration-index.md").read_text(encoding="utf-8")
        plan = (folder / "validation-plan.md").read_text(encoding="utf-8")
        self.assertIn(f"| `tests/requirements` | {hashlib.sha256(LINKS.encode()).hexdigest()} |", index)
        self.assertIn("| version | warpbound 0.1 |", index)
        self.assertIn("| REQ-B-1 | Is proven. And tested. | `good` | a/B.v:c |", plan)
        self.assertNotIn("REQ-A-1", plan)

    def test_programs_that_do_not_do_as_they_say(self):
        """A tool without a version, and a CTest that fails though no test did, or writes nothing, have failed."""
        write(self.root, "build/warpbound", "#!/bin/sh\nkill -SEGV $$\n").chmod(0o755)
        status, document, _ = self.report("--only", "REQ-A-1")
        self.assertEqual((status, document["steps"][-1]["name"]), (1, "version"))
        runs = f"{shutil.which('ctest')} \"$@\""
        for lists, tests, words in ((runs, f"{runs}; exit 9", "tests: ctest ends with status 9, and results of 2 of 2"),
                                    (runs, "true", "tests: ctest ends with status 0, and results of 0 of 2"),
                                    (f"{runs}; exit 9", "true", "ctest -N ends with status 9"), ("echo no", "true", "has no tests")):
            path = write(self.root, "bin/ctest", f"#!/bin/sh\ncase $* in *-N*) {lists};; *) {tests};; esac\n")
            path.chmod(0o755)
            status, said = qualify("--root", self.root, "--only", "REQ-A-1", "--no-certificates", "--no-proofs",
                                   PATH=f"{path.parent}:{os.environ['PATH']}")
            self.assertIn(status, (1, 2), said)
            self.assertIn(words, said)

    def test_a_part_is_no_verdict(self):
        status, document, text = self.report("--only", "REQ-A-1")
        self.assertEqual((status, document["verdict"]), (0, "partial"))
        self.assertEqual(self.verdicts(document), {"REQ-A-1": "verified"})
        self.assertIn("**Partial.** Only a part was asked for (requirements REQ-A-1; no certificates).", text)
        self.assertEqual([row["name"] for row in document["tests"]], ["good", "skips"])

    def test_what_cannot_be_run_is_no_success(self):
        for options in (("--only", "REQ-B-2"), ("-R", "none")):
            status, document, text = self.report(*options)
            self.assertEqual((status, document["verdict"]), (3, "incomplete"))
            self.assertIn("| test `none` | CTest could not start it |", text)

    def test_who_skips_himself_says_why(self):
        status, document, text = self.report("-R", "without")
        self.assertEqual((status, document["verdict"]), (3, "incomplete"))
        self.assertIn("| test `without` | skipped: there is no cluster |", text)

    def test_who_skips_himself_is_no_gap(self):
        document = {"asked": "everything", "requirements": [{"verdict": "verified"}], "tests": [], "theorems": [],
                    "sanitized_tests": [], "certificates": [], "steps": []}
        for skipped, verdict, whole in ((["no cluster"], "verified", "verified"), (["no cluster"], "not run", "incomplete"),
                                        ([], "verified", "incomplete")):
            document["tests"] = [{"state": "not run", "skipped": skipped}]
            document["requirements"] = [{"verdict": verdict}]
            self.assertEqual(report.overall(document), whole)

    def test_theorems_are_asked_for(self):
        for answer, verdict in (("closed", "verified"), ("open", "failed")):
            write(self.root, "scripts/proofs", PROOFS.format(answer))
            _, document, _ = self.report("--only", "REQ-B-1")
            # Where there is no Coq nobody is asked.
            self.assertIn(self.verdicts(document)["REQ-B-1"], (verdict, "not run"))

    def test_tests_under_sanitizers_count(self):
        write(self.root, "sanitized/CTestTestfile.cmake", 'add_test(good "sh" "-c" "echo 4712 leaks; exit 1")\n')
        status, document, text = self.report("--only", "REQ-A-1", "--sanitized", self.root / "sanitized")
        self.assertEqual((status, self.verdicts(document)["REQ-A-1"]), (1, "failed"))
        self.assertEqual([row["state"] for row in document["tests"]], ["passed", "passed"])
        self.assertIn("    4712 leaks", text)

    def test_failing_proofs_fail(self):
        write(self.root, "scripts/proofs", "#!/bin/sh\necho no; exit 1\n")
        status, document, text = self.report("--only", "REQ-B-1")
        if document["theorems"][0]["state"] == "failed":
            self.assertEqual((status, self.verdicts(document)["REQ-B-1"]), (1, "failed"))
            self.assertIn("**Failed.**", text)

    def test_reports_differ_in_times_alone(self):
        texts = []
        for _ in range(2):
            _, _, text = self.report("--no-proofs")
            texts.append(re.sub(r"Begun .* seconds\.|\| \d+\.\d\d \|", "", text))
        self.assertEqual(texts[0], texts[1])

    def test_sources_are_summed_up(self):
        _, document, _ = self.report("--only", "REQ-A-1")
        listing = (self.root / "build/qualification/sources.sha256").read_text(encoding="utf-8")
        self.assertEqual(document["tool"]["sources_sha256"], hashlib.sha256(listing.encode()).hexdigest())
        self.assertIn(f"{hashlib.sha256(LINKS.encode()).hexdigest()}  tests/requirements\n", listing)

    def test_sources_in_the_repository_of_something_else(self):
        project = self.root / "docs"
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.assertEqual(environment.sources_of(project), [(name, hashlib.sha256(text.encode()).hexdigest()) for name, text in (
            ("data/coverage.csv", COVERAGE), ("data/known-problems.csv", PROBLEMS), ("limitations.md", LIMITATIONS),
            ("qualification/requirements.md", REQUIREMENTS))])

    def test_sources_that_contradict_themselves(self):
        write(self.root, "tests/requirements", LINKS + "REQ-B-2 tests nothing\n")
        status, said = qualify("--root", self.root)
        self.assertEqual(status, 2)
        self.assertIn("REQ-B-2 names nothing, which is none of the tests that there are", said)

    def test_sources_that_change_meanwhile(self):
        write(self.root, "build/CTestTestfile.cmake", f'add_test(good "sh" "-c" "echo >>{self.root}/docs/limitations.md")\n')
        status, said = qualify("--root", self.root, "--no-certificates", "--no-proofs")
        self.assertEqual(status, 2)
        self.assertIn("changed while this ran", said)
        self.assertFalse((self.root / "build/qualification/report.md").exists())

    def test_nothing_that_is_named_so_is_no_success(self):
        for option, name in (("-R", "nothing"), ("--only", "REQ-C"), ("--sanitized", self.root / "nowhere")):
            status, said = qualify("--root", self.root, option, name)
            self.assertEqual((status, "no such" in said or "nowhere has no tests" in said), (2, True), said)

    def test_no_tests_is_no_success(self):
        write(self.root, "build/CTestTestfile.cmake", "")
        status, said = qualify("--root", self.root)
        self.assertEqual(status, 2)
        self.assertIn("has no tests", said)


class ThisProject(unittest.TestCase):
    def test_programs_that_crash(self):
        """A stand-in that dies of a signal, refuses, or writes nothing is a failed certificate."""
        for dies, reason in (("kill -SEGV $$", "status -11, without"), ("exit 2", "status 2, without"),
                             ("touch $9; exit 3", "status 3, with a"), ("exit 0", "status 0, without")):
            with tempfile.TemporaryDirectory() as folder, self.subTest(dies):
                stand_in = pathlib.Path(folder, "warpbound")
                stand_in.write_text(f"#!/bin/sh\n{dies}\n", encoding="utf-8")
                stand_in.chmod(0o755)
                case = ("vecadd", "vecadd.ptx", "vecadd.yaml")
                row = steps.certify(ROOT, stand_in.parent, case, "ampere-sm80", False)
                self.assertEqual(row["state"], steps.FAILED)
                self.assertIn(reason, row["reason"])

    def test_the_whole_with_a_program_that_crashes(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            write(build, "CTestTestfile.cmake", f'subdirs("{BUILD}")\n')
            write(build, "warpbound", f"#!/bin/sh\n[ $1 = --version ] || kill -SEGV $$; exec {BUILD}/warpbound $1\n").chmod(0o755)
            status, said = qualify("--build", build, "-R", "^test_wheel$", "--kernels", "^vecadd$")
            self.assertEqual(status, 1, said)
            self.assertIn("failed: certificate of vecadd (block) on ampere-sm80: analyze ends with status -11, without", said)
            self.assertIn(f"failed: certificates: 4 of 4 failed\nfailed: {build}", said)

    def test_certificates_without_claims(self):
        """A checker that says yes to what claims nothing proves nothing."""
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            write(build, "warpbound", "#!/bin/sh\necho none >$9\n").chmod(0o755)
            write(build, "warpbound-check", "#!/bin/sh\necho proven\n").chmod(0o755)
            row = steps.certify(ROOT, build, ("vecadd", "vecadd.ptx", "vecadd.yaml"), "ampere-sm80", False)
            self.assertEqual(row["state"], steps.FAILED)
            self.assertIn("status 0, and shows 0 of 0 claims: proven", row["reason"])

    def test_checkers_that_take_other_files(self):
        """What accepts certificates whatever their files is a failed certificate."""
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "warpbound").symlink_to(pathlib.Path(BUILD, "warpbound").resolve())
            write(build, "warpbound-check", f'#!/bin/sh\nfor last; do :; done; exec {BUILD}/warpbound-check "$last"\n').chmod(0o755)
            row = steps.certify(ROOT, build, ("vecadd", "vecadd.ptx", "vecadd.yaml"), "ampere-sm80", False)
            self.assertEqual(row["state"], steps.FAILED)
            self.assertIn("a certificate of another", row["reason"])

    def test_a_few_tests_and_certificates(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder)
            status, said = qualify("--build", BUILD, "--output", output, "-R", "^(test_wheel|test_assumption_ids)$",
                                   "--kernels", "^vecadd$", "--jobs", 2)
            self.assertEqual(status, 0, said)
            document = json.loads((output / "report.json").read_text(encoding="utf-8"))
        SCHEMA.validate(document)
        for place, wrong in wrong_documents(shortened(document)):
            self.assertFalse(SCHEMA.is_valid(wrong), place)
        self.assertEqual(document["verdict"], "partial")
        self.assertEqual({row["name"]: row["state"] for row in document["tests"]},
                         {"test_wheel": "passed", "test_assumption_ids": "passed"})
        self.assertEqual([row["state"] for row in document["certificates"]], ["passed"] * 4)
        self.assertTrue(all(row["claims"] for row in document["certificates"]))
        self.assertRegex(document["tool"]["version"], r"^warpbound \d")
        self.assertRegex(document["tool"]["binaries"]["warpbound-check"], r"^[0-9a-f]{64}$")
        self.assertTrue(all(document["environment"][key] for key in ("system", "processor", "compiler", "build_type", "flags")))


if __name__ == "__main__":
    unittest.main()
