"""The steps of a validation: tests, proofs, certificates. Each gives results, and reasons for what
was not run."""

import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import Mistake

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"

# Machines on which kernels of kernels/index.txt are certified: one sub-core and four.
MACHINES = ("ecrts2025-orin", "ampere-sm80")


# Status of CTest where tests failed.
CTEST_FAILED = 8
# What a program that writes or checks a certificate takes at most; none needs a tenth.
SECONDS = 1800


def run(command, seconds=None):
    """What came of a program; one that does not end in time, or cannot be started, has failed."""
    try:
        return subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              errors="replace", timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        words = f"no end within {seconds} seconds"
    except OSError as error:
        words = str(error)
    return subprocess.CompletedProcess(command, 127, "", words)


def ctest(build, work, arguments):
    """Runs CTest on the tests of a build from a folder of its own, so that the build's own records
    stay as they are."""
    (work / "CTestTestfile.cmake").write_text(f'subdirs("{build}")\n', encoding="utf-8")
    return run(["ctest", "--test-dir", work, *arguments])


def test_names(build, work, pattern=None):
    """Names of the tests of a build, of those that a regular expression finds."""
    listed = ctest(build, work, ["-N", *(["-R", pattern] if pattern else [])])
    if listed.returncode != 0:
        raise Mistake(f"ctest -N ends with status {listed.returncode}: "
                      + last_lines(listed.stdout + listed.stderr, 1))
    return re.findall(r"^ *Test +#\d+: (\S+)$", listed.stdout, re.MULTILINE)


def skipped_parts(text):
    """What a test says that it skipped (cmocka)."""
    return sorted(set(re.findall(r"^\[  SKIPPED \] (?!\d+ test)(\S+)$", text, re.MULTILINE)))


def words_of_skipping(case, text):
    """Why a test skipped itself, by what it printed last (SKIP_RETURN_CODE); nothing where it did
    not."""
    skipped = case.find("skipped")
    if skipped is None or not skipped.get("message", "").startswith("SKIP_"):
        return []
    return [last_lines(text, 1) or "skipped by the test"]


def last_lines(text, count=20):
    return "\n".join(text.rstrip().splitlines()[-count:])


def test_cases(file):
    """The results that CTest has written; none where it has written no such file."""
    try:
        return list(ElementTree.parse(file).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return []


def run_tests(build, work, names, jobs):
    """Results of tests by their names: state, seconds, what was skipped, and the end of the output
    of one that failed. Also how CTest itself failed, or None."""
    results_file = work / "tests.xml"
    results_file.unlink(missing_ok=True)
    if not names:
        return [], None
    done = ctest(build, work, ["-R", f"^({'|'.join(map(re.escape, names))})$", "-j", jobs,
                               "--output-junit", results_file, "--test-output-size-passed",
                               "1000000", "--test-output-size-failed", "1000000"])
    found = {}
    for case in test_cases(results_file):
        text = case.findtext("system-out") or ""
        state = {"run": PASSED, "fail": FAILED}.get(case.get("status"), NOT_RUN)
        found[case.get("name")] = {"name": case.get("name"), "state": state,
                                   "seconds": float(case.get("time") or 0),
                                   "skipped": words_of_skipping(case, text) or skipped_parts(text),
                                   "output": last_lines(text) if state == FAILED else None}
    # A test that cannot be started is not run here, and failed for CTest.
    wrong = any(row["state"] != PASSED for row in found.values())
    if set(names) <= set(found) and done.returncode in ((0, CTEST_FAILED) if wrong else (0,)):
        how = None
    else:
        how = (f"ctest ends with status {done.returncode}, and results of {len(found)} of "
               f"{len(names)} tests: " + last_lines(done.stdout + done.stderr, 1))
    lost = {"state": NOT_RUN, "seconds": 0.0, "skipped": [], "output": None}
    return [found.get(name, {"name": name, **lost}) for name in names], how


def step(name, state, words=None, asked=True):
    """What came of a step: words say why it was not run, or how it failed."""
    return {"name": name, "state": state, "words": words, "asked": asked}


def run_script(script, log):
    """A script of the project, with what it prints kept in the log: whether it succeeded, and what
    it printed."""
    done = run([script])
    printed = done.stdout + done.stderr
    with log.open("a", encoding="utf-8") as file:
        file.write(printed)
    return done.returncode == 0, printed


def check_proofs(root, theorems, log):
    """Has Coq check all proofs: the state of each theorem, and what came of it."""
    if shutil.which("coqc") is None:
        return (dict.fromkeys((one.name for one in theorems), NOT_RUN),
                step("proofs", NOT_RUN, "Coq is not installed"))
    accepted, printed = run_script(root / "scripts/proofs", log)
    closed = set(re.findall(r"proofs/(\S+\.v:\S+): closed$", printed,
                            re.MULTILINE)) if accepted else ()
    states = {one.name: PASSED if one.name in closed else FAILED for one in theorems}
    good = accepted and FAILED not in states.values()
    return states, step("proofs", PASSED if good else FAILED, None if good else last_lines(printed))


def compare_extracted(root, log, proofs):
    """Has what Coq extracts from the proofs, if these passed now, compared with the library."""
    if (shutil.which("ocamlopt") is None or proofs != PASSED
            or not (root / "build/proofs/extracted.ml").is_file()):
        return step("extracted", NOT_RUN, "there is no OCaml, or the proofs were not checked")
    good, printed = run_script(root / "scripts/proofs-extracted", log)
    return step("extracted", PASSED if good else FAILED, None if good else last_lines(printed))


def fnv1a(data, value=0xCBF29CE484222325):
    """The checksum of certificates, by which they show that they were changed: no protection
    against forgery."""
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def forge(certificate):
    """The certificate with each claim a cycle better than it is, one after another, and a checksum
    that fits."""
    body = certificate[:certificate.rfind(b"end ")]
    before = body.find(b"claim ")
    if before < 0:
        return
    sum_before = fnv1a(body[:before])
    for claim in re.finditer(rb"^claim (\S+) (\d+)$", body, re.MULTILINE):
        better = int(claim.group(2)) + (1 if claim.group(1) == b"lower" else -1)
        forged = body[:claim.start(2)] + b"%d" % better + body[claim.end(2):]
        yield claim.group(1).decode(), forged + b"end %016x\n" % fnv1a(forged[before:], sum_before)


def of_others(certificate):
    """The certificate with another sum for each file that it is of, one after another, and a
    checksum that fits."""
    body = certificate[:certificate.rindex(b"end ")]
    for said in re.finditer(rb"^of (\w+) ([0-9a-f]{64}) ", body, re.MULTILINE):
        other = body[:said.start(2)] + said.group(2)[::-1] + body[said.end(2):]
        yield said.group(1).decode(), other + b"end %016x\n" % fnv1a(other)


def files_of(build, machine, folder, certificate):
    """What a certificate is of, for --of: files where it says that they are, and the machine."""
    shown = run([build / "warpbound", "machine", "show", machine], SECONDS)
    stated = Path(folder, "machine.yaml")
    stated.write_text(shown.stdout, encoding="utf-8")
    paths = re.findall(r"^of (?!machine)\w+ [0-9a-f]{64} # (.*)$", certificate, re.MULTILINE)
    return ["--of", *paths, str(stated)]


def certify(root, build, case, machine, block):
    """Certifies one kernel on one machine, has the certificate checked with the files that it is
    of, and one of other files and a claim that is too low refused."""
    name, code, launch = case
    result = {"kernel": name, "machine": machine, "scope": "block" if block else "kernel",
              "state": NOT_RUN, "claims": [],
              "reason": None}
    with tempfile.TemporaryDirectory() as folder:
        file, forged = Path(folder, "certificate"), Path(folder, "forged")
        command = [str(build / "warpbound"), "analyze", str(root / "kernels" / code), "-l",
                   str(root / "kernels" / launch),
                   "-m", machine, "-q", "--certificate", str(file),
                   *(["-i", "0,0,0"] if block else [])]
        written = run(command, SECONDS)
        result["state"] = FAILED
        if written.returncode != 0 or not file.is_file():
            result["reason"] = (f"analyze ends with status {written.returncode}, "
                                f"{'with' if file.is_file() else 'without'} a certificate: "
                                + last_lines(written.stderr, 1))
            return result
        of = files_of(build, machine, folder, file.read_text(encoding="utf-8"))
        checked = run([build / "warpbound-check", *of, file], SECONDS)
        result["claims"] = [line for line in checked.stdout.splitlines()
                            if line.startswith(("block: ", "kernel: "))]
        claims = list(forge(file.read_bytes()))
        if checked.returncode != 0 or not 0 < len(claims) == len(result["claims"]):
            result["reason"] = (f"warpbound-check ends with status {checked.returncode}, and shows "
                                f"{len(result['claims'])} of {len(claims)} claims: "
                                + last_lines(checked.stdout + checked.stderr, 1))
            return result
        for part, text in of_others(file.read_bytes()):
            forged.write_bytes(text)
            refused = run([build / "warpbound-check", *of, forged], SECONDS)
            if refused.returncode != 2:
                result["reason"] = (f"a certificate of another {part} ends with status "
                                    f"{refused.returncode}")
                return result
        for method, text in claims:
            forged.write_bytes(text)
            refused = run([build / "warpbound-check", forged], SECONDS)
            if refused.returncode != 1:
                result["reason"] = (f"a claim of {method} that is a cycle too good ends "
                                    f"with status {refused.returncode}")
                return result
        result["state"] = PASSED
    return result


def check_certificates(root, build, cases, jobs):
    """Certificates of kernels and of their first blocks, each written, checked, and forged."""
    asked = [(case, machine, block) for case in cases for machine in MACHINES
             for block in (False, True)]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda one: certify(root, build, *one), asked))
