"""The steps of a validation: tests, proofs, certificates. Each gives results, and reasons for what
was not run."""

import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"

# Machines on which kernels of kernels/index.txt are certified: one sub-core and four.
MACHINES = ("ecrts2025-orin", "ampere-sm80")


def ctest(build, work, arguments):
    """Runs CTest on the tests of a build from a folder of its own, so that the build's own records
    stay as they are."""
    (work / "CTestTestfile.cmake").write_text(f'subdirs("{build}")\n', encoding="utf-8")
    return subprocess.run(["ctest", "--test-dir", str(work), *arguments], capture_output=True,
                          text=True,
                          errors="replace", check=False)


def test_names(build, work, pattern=None):
    """Names of the tests of a build, of those that a regular expression finds."""
    listed = ctest(build, work, ["-N", *(["-R", pattern] if pattern else [])])
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


def run_tests(build, work, names, jobs):
    """Results of tests by their names: state, seconds, what was skipped, and the end of the output
    of one that failed."""
    results_file = work / "tests.xml"
    results_file.unlink(missing_ok=True)
    if names:
        ctest(build, work,
              ["-R", f"^({'|'.join(map(re.escape, names))})$", "-j", str(jobs), "--output-junit",
               str(results_file),
                            "--test-output-size-passed", "1000000", "--test-output-size-failed",
                            "1000000"])
    found = {}
    cases = ()
    if results_file.is_file():
        cases = ElementTree.parse(results_file).getroot().iter("testcase")
    for case in cases:
        text = case.findtext("system-out") or ""
        state = {"run": PASSED, "fail": FAILED}.get(case.get("status"), NOT_RUN)
        found[case.get("name")] = {"name": case.get("name"), "state": state,
                                   "seconds": float(case.get("time") or 0),
                                   "skipped": words_of_skipping(case, text) or skipped_parts(text),
                                   "output": last_lines(text) if state == FAILED else None}
    lost = {"state": NOT_RUN, "seconds": 0.0, "skipped": [], "output": None}
    return [found.get(name, {"name": name, **lost}) for name in names]


def step(name, state, words=None, asked=True):
    """What came of a step: words say why it was not run, or how it failed."""
    return {"name": name, "state": state, "words": words, "asked": asked}


def run_script(script, log):
    """A script of the project, with what it prints kept in the log: whether it succeeded, and what
    it printed."""
    done = subprocess.run([str(script)], capture_output=True, text=True, errors="replace",
                          check=False)
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


def compare_extracted(root, log):
    """Has what Coq extracts from the proofs compared with the library."""
    if shutil.which("ocamlopt") is None or not (root / "build/proofs/extracted.ml").is_file():
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
    body = certificate[:certificate.rindex(b"end ")]
    before = body.index(b"claim ")
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
    shown = subprocess.run([str(build / "warpbound"), "machine", "show", machine],
                           capture_output=True, text=True, check=False)
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
        written = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                 check=False)
        if written.returncode != 0 or not file.is_file():
            result["state"] = FAILED
            result["reason"] = (f"analyze ends with status {written.returncode}, "
                                f"{'with' if file.is_file() else 'without'} a certificate: "
                                + last_lines(written.stderr, 1))
            return result
        of = files_of(build, machine, folder, file.read_text(encoding="utf-8"))
        checked = subprocess.run([str(build / "warpbound-check"), *of, str(file)],
                                 capture_output=True, text=True, check=False)
        result["claims"] = [line for line in checked.stdout.splitlines()
                            if line.startswith(("block: ", "kernel: "))]
        result["state"] = PASSED if checked.returncode == 0 and checked.stdout else FAILED
        if result["state"] == FAILED:
            result["reason"] = last_lines(checked.stdout + checked.stderr)
            return result
        for part, text in of_others(file.read_bytes()):
            forged.write_bytes(text)
            refused = subprocess.run([str(build / "warpbound-check"), *of, str(forged)],
                                     capture_output=True, text=True, check=False)
            if refused.returncode != 2:
                result["state"] = FAILED
                result["reason"] = (f"a certificate of another {part} ends with status "
                                    f"{refused.returncode}")
                return result
        for method, text in forge(file.read_bytes()):
            forged.write_bytes(text)
            refused = subprocess.run([str(build / "warpbound-check"), str(forged)],
                                     capture_output=True, text=True, check=False)
            if refused.returncode != 1:
                result["state"] = FAILED
                result["reason"] = (f"a claim of {method} that is a cycle too good ends "
                                    f"with status {refused.returncode}")
    return result


def check_certificates(root, build, cases, jobs):
    """Certificates of kernels and of their first blocks, each written, checked, and forged."""
    asked = [(case, machine, block) for case in cases for machine in MACHINES
             for block in (False, True)]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda one: certify(root, build, *one), asked))
