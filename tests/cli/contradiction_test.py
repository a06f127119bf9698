"""A method that lies is caught in every output: contradiction_test.py LYING_COMMAND LYING_LIBRARY LYING_CHECKER

The command and the library have methods `fifo` and `k-oldest` that say one cycle, and of the wing makespan `pessimistic` (lying_methods.c). Whatever execution
is found, by whomever, the verdict is `contradiction` with both numbers and both methods, the exit status is 4, and no
deadline is met beside it.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

COMMAND, LIBRARY, CHECKER = sys.argv[1:]
WINGS = os.environ["WB_WINGS"].split(",")
VECADD = ["kernels/vecadd.yaml", "-m", "ecrts2025-orin"]
KERNEL = [*VECADD, "--method", "k-oldest,k-area"]
MODEL = ["--deadline", "1s", "--accept", "ptx-model"]
KEPT = ["--set", "sass.tlb_keeps=0", "--set", "sass.l2_keeps=0"]  # else fills are added to the lie
CODE = ["kernels/cubin/vecadd.sm_86.cubin", "-l", "kernels/vecadd.yaml", "-m", "rtx-a6000", *KEPT]
LIST = ["kernels/horner_stream.yaml", "-m", "ecrts2025-orin", "--method", "k-oldest,k-area"]
BLOCK = ["docs/refutations/gub-depth0.yaml"]

# Which execution contradicts which method, in which scope: the words of the run and what `contradiction` says.
RUNS = {
    "simulation of a kernel": ([*KERNEL, "--policy", "lrr"], "kernel", "kernel", "simulated", "lrr"),
    "adversary of a kernel": ([*VECADD, "--method", "k-oldest,k-adversary"], "kernel", "kernel", "lower", "k-adversary"),
    "exact worst case of a block": ([*BLOCK, "--method", "fifo,exhaustive"], "block", "fifo", "exact", "exhaustive"),
    "adversary of a block": ([*BLOCK, "--method", "fifo,adversary"], "block", "fifo", None, None),
    "block of a kernel, which a bound of the kernel takes": (
        [*VECADD, "--method", "fifo,k-area"], "kernel", "kernel", None, None
    ),
    "a block alone": ([*VECADD, "--method", "fifo", "-i", "0", "--scope", "block"], "block", "fifo", None, None),
    "blocks with the data given beside covering paths": (
        [*VECADD, "--method", "fifo,k-serial", "--inputs", "any", "--scope", "block"], "block", "fifo", None, None
    ),
    "given data beside covering paths": ([*KERNEL, "--inputs", "any"], "kernel", "kernel", None, None),
    "machine code": ([*CODE, "--method", "k-oldest,code-k-area"], "kernel", "kernel", None, None),
    "machine code of a block": ([*CODE, "--method", "fifo,code-k-area", "--scope", "block"], "block", "fifo", None, None),
    "a search that is cut": ([*VECADD, "--method", "k-oldest,k-adversary,k-exhaustive", "--states", "10"], "kernel", "kernel", None, None),
    "a kernel of a list": (LIST, "kernel", "kernel", None, None),
}


def run(words, status=4):
    done = subprocess.run([COMMAND, "analyze", *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def check_verdict(name, verdict, scope, method, kind, how):
    found = verdict["contradiction"]
    assert verdict["state"] == "contradiction" and verdict["bound"] is None, (name, verdict)
    assert (found["scope"], found["method"], found["proven"]) == (scope, method, 1), (name, found)
    assert found["found"]["cycles"] > 1 and found["found"]["how"], (name, found)
    assert kind in (None, found["found"]["kind"]) and how in (None, found["found"]["how"]), (name, found)


def check_run(name, words, scope, method, kind, how):
    for deadline in ([], MODEL):
        document = json.loads(run([*words, *deadline, "--json"]).stdout)
        check_verdict(name, document["verdict"], scope, method, kind, how)
        if deadline:
            assert document["deadline"]["met"] is None, name
    quiet = run([*words, *MODEL, "-q"])
    assert quiet.stdout.startswith("contradiction: ") and f"{method} proves at most" in quiet.stdout, quiet.stdout
    assert "contradiction" in quiet.stderr and method in quiet.stderr, quiet.stderr


def check_formats(folder):
    text = run([*KERNEL, *MODEL]).stdout
    assert text.startswith("contradiction: ") and "met:" not in text, text
    case = ElementTree.fromstring(run([*KERNEL, *MODEL, "--format", "junit"]).stdout).find(".//testcase")
    assert case.find("error").get("type") == "contradiction", ElementTree.tostring(case)
    for deadline in ([], MODEL):
        sarif = json.loads(run([*KERNEL, *deadline, "--format", "sarif"]).stdout)["runs"][0]
        assert [result["ruleId"] for result in sarif["results"]] == ["contradiction"], sarif["results"]
    report = os.path.join(folder, "r.html")
    run([*KERNEL, *MODEL, "--report", report])
    page = pathlib.Path(report).read_text()
    assert '<div class="verdict contradiction">' in page and "One of the two numbers is wrong." in page


def check_sweep(folder):
    file, database = os.path.join(folder, "s.yaml"), os.path.join(folder, "s.db")
    pathlib.Path(file).write_text(
        f"code: {os.path.abspath('kernels/vecadd.yaml')}\nmachine: ecrts2025-orin\nmethods: ['k-oldest', k-area]\n"
        "deadline: 1s\naccept: ptx-model\n"
    )
    for _ in range(2):  # also where nothing runs again
        done = subprocess.run([COMMAND, "sweep", file, "-o", database], capture_output=True, text=True)
        assert done.returncode == 4 and "contradiction" in done.stderr, (done.returncode, done.stdout, done.stderr)
        assert "1 CONTRADICTED" in done.stdout, done.stdout

    def show(*options):
        return subprocess.run([COMMAND, "sweep", "show", database, *options], capture_output=True, text=True).stdout

    (unit,) = json.loads(show("--json"))["units"]
    assert (unit["status"], unit["verdict"]["state"]) == ("contradiction", "contradiction"), unit
    rows = [row for row in csv.DictReader(show("--csv").splitlines()) if row["name"] == "kernel"]
    assert rows and {row["kind"] for row in rows} == {"estimate"}, rows
    assert 'errors="1"' in show("--format", "junit")


def check_certificate(folder):
    certificate = os.path.join(folder, "c.cert")
    run([*BLOCK, "--method", "sib,exhaustive", "--certificate", certificate], 0)
    done = subprocess.run([CHECKER, certificate], capture_output=True, text=True)
    assert done.returncode == 4 and "CONTRADICTION: an execution takes" in done.stdout, (done.stdout, done.stderr)


def check_makespan():
    words = ["makespan", "LCL", "-w", "4", "-u", "L=1,C=1", "--method", "pessimistic,brute"]
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
    assert done.returncode == 4 and "contradiction: brute found" in done.stderr, (done.returncode, done.stderr)
    assert "worst case: contradiction: " in done.stdout, done.stdout
    done = subprocess.run([COMMAND, *words, "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout)
    assert done.returncode == 4 and said["certified"] is None, done.stdout
    assert (said["contradiction"]["method"], said["contradiction"]["found_by"]) == ("pessimistic", "brute"), said


def check_makespans(folder):
    file, database = os.path.join(folder, "m.yaml"), os.path.join(folder, "m.db")
    pathlib.Path(file).write_text(
        'string: LCL\nstring_warps: 4\nstring_units: "L=1,C=1"\nstring_methods: "pessimistic,brute"\n'
    )
    done = subprocess.run([COMMAND, "sweep", file, "-o", database], capture_output=True, text=True)
    assert done.returncode == 4 and "1 CONTRADICTED" in done.stdout, (done.stdout, done.stderr)
    shown = subprocess.run([COMMAND, "sweep", "show", database, "--json"], capture_output=True, text=True).stdout
    (unit,) = json.loads(shown)["units"]
    assert unit["verdict"]["state"] == "contradiction" and unit["verdict"]["bound"] is None, unit


def check_python():
    os.environ["WARPBOUND_LIBRARY"], os.environ["WARPBOUND_COMMAND"] = LIBRARY, COMMAND
    sys.path.insert(0, "python")
    import warpbound

    found = warpbound.analyze(
        "kernels/vecadd.yaml", machine="ecrts2025-orin", methods="k-oldest,k-area", deadline="1s", accept="ptx-model"
    )
    assert found.verdict.state == "contradiction" and found.verdict.met is None and found.verdict.bound is None
    assert found.verdict.contradiction["method"] == "kernel" and found.bounds == ()
    if "sweep" not in WINGS:
        return
    swept = warpbound.sweep(["kernels/vecadd.yaml"], machine="ecrts2025-orin", methods=["k-oldest", "k-area"])
    assert {unit["state"] for unit in swept.units} == {"contradiction"}, swept.units


for name, words in RUNS.items():
    check_run(name, *words)
with tempfile.TemporaryDirectory() as folder:
    check_formats(folder)
    if "sweep" in WINGS:
        check_sweep(folder)
    if {"sweep", "makespan"} <= set(WINGS):
        check_makespans(folder)
    check_certificate(folder)
if "makespan" in WINGS:
    check_makespan()
check_python()
print(f"{len(RUNS)} lies caught in every output")
