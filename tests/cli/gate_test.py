"""What gates in CI read: JUnit and SARIF of `warpbound analyze`, messages of runs that fail, and docs/examples/ci.

usage: gate_test.py COMMAND, in the project's top folder
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ElementTree

import jsonschema
import schema_test
import yaml

VECADD = ["kernels/vecadd.ptx", "-l", "kernels/vecadd.yaml"]
BFS = ["kernels/bfs_level.ptx", "-l", "kernels/bfs_level.yaml"]
STREAM = ["kernels/horner.ptx", "-l", "kernels/horner_stream.yaml"]
CODE = ["kernels/cubin/vecadd.sm_86.cubin", "-l", "kernels/vecadd.yaml", "-m", "rtx-a6000"]
MODEL = ["-m", "ecrts2025-orin", "--accept", "ptx-model"]
QUICK = ["--method", "sib,kernel", "--policy", "lrr"]  # searches take ten times as long, and change no format


def closed(properties, optional=()):
    """A schema of an object with these properties alone."""
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key not in optional],
        "additionalProperties": False,
    }


def array_of(items):
    return {"type": "array", "items": items}


# What SARIF 2.1.0 says of the properties that are written (sections 3.13 to 3.58 of the standard), from its text.
TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = closed({"text": TEXT})
# A URI reference: ASCII, no blanks, no scheme but file.
ARTIFACT = closed({"uri": {"type": "string", "pattern": r"^(file:///)?([A-Za-z0-9._~/!$&'()*+,;=@-]|%[0-9A-F]{2})+$"}})
REGION = closed({"startLine": COUNT, "startColumn": COUNT}, ["startColumn"])
LOCATION = closed(
    {
        "physicalLocation": closed({"artifactLocation": ARTIFACT, "region": REGION}, ["region"]),
        "logicalLocations": array_of(closed({"fullyQualifiedName": TEXT, "kind": {"const": "function"}})),
    },
    ["logicalLocations"],
)
PLACES = {"type": "array", "items": LOCATION, "minItems": 1, "maxItems": 1}
RULE = closed({"id": TEXT, "shortDescription": MESSAGE, "defaultConfiguration": closed({"level": LEVEL})})
RESULT = closed(
    {
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": PLACES,
        "relatedLocations": PLACES,
        "partialFingerprints": {"type": "object", "additionalProperties": TEXT},
        "properties": {"type": "object"},
    },
    ["relatedLocations", "partialFingerprints", "properties"],
)
SARIF = closed(
    {
        "$schema": {"const": "https://json.schemastore.org/sarif-2.1.0.json"},
        "version": {"const": "2.1.0"},
        "runs": array_of(
            closed(
                {
                    "tool": closed({"driver": closed({"name": TEXT, "version": TEXT, "rules": array_of(RULE)})}),
                    "invocations": array_of(
                        closed(
                            {
                                "executionSuccessful": {"type": "boolean"},
                                "toolExecutionNotifications": array_of(closed({"level": LEVEL, "message": MESSAGE})),
                            }
                        )
                    ),
                    "artifacts": array_of(
                        closed(
                            {
                                "location": ARTIFACT,
                                "length": {"type": "integer", "minimum": 0},
                                "hashes": closed({"sha-256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
                                "description": MESSAGE,
                            }
                        )
                    ),
                    "results": array_of(RESULT),
                }
            )
        ),
    }
)


class Gate:
    """The command with a format."""

    def __init__(self, command):
        self.command = command

    def run(self, words, status):
        done = subprocess.run([self.command, *words], capture_output=True)
        assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr.decode(errors='replace')}"
        return done.stdout, done.stderr

    def junit(self, words, status):
        out, _ = self.run(["analyze", *words, "--format", "junit"], status)
        return check_junit(out)

    def sarif(self, words, status):
        out, _ = self.run(["analyze", *words, "--format", "sarif"], status)
        return check_sarif(out)


TOKEN, NUMBER = r"\S(.*\S)?", r"\d+"
# What the schema of Ant's JUnit reports asks of attributes: which there must be, and what they look like.
ATTRIBUTES = {
    "testsuites": {},
    "testsuite": {
        **dict.fromkeys(("name", "package", "hostname"), TOKEN),
        **dict.fromkeys(("id", "tests", "failures", "errors", "skipped"), NUMBER),
        "time": r"[\d.]+",
        "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    },
    "properties": {},
    "property": {"name": TOKEN, "value": ".*"},
    "testcase": {"name": TOKEN, "classname": TOKEN, "time": r"[\d.]+"},
    "failure": {"message": ".+", "type": TOKEN},
    "error": {"message": ".+", "type": TOKEN},
    "skipped": {"message": ".+"},
    "system-out": {},
    "system-err": {},
}


def check_junit(out):
    """The suite, after the checks of Ant's schema, as far as it is used: elements, their order, attributes, counts."""
    out.decode("utf-8")
    root = ElementTree.fromstring(out)
    assert root.tag == "testsuites" and [child.tag for child in root] == ["testsuite"]
    for element in root.iter():
        wanted = ATTRIBUTES[element.tag]
        assert element.attrib.keys() == wanted.keys(), (element.tag, element.attrib)
        for name, pattern in wanted.items():
            assert re.fullmatch(pattern, element.get(name), re.DOTALL), (element.tag, name, element.get(name))
    suite = root[0]
    cases = suite.findall("testcase")
    tags = [child.tag for child in suite]
    assert tags == ["properties", *["testcase"] * len(cases), "system-out", "system-err"], tags
    outcomes = [child.tag for case in cases for child in case]
    assert all(len(case) <= 1 for case in cases) and set(outcomes) <= {"failure", "error", "skipped"}
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(attribute)) == outcomes.count(tag)
    assert int(suite.get("tests")) == len(cases)
    return suite


def check_sarif(out):
    """The one run of a log, after checks of its shape."""
    log = json.loads(out.decode("utf-8"))
    jsonschema.Draft202012Validator(SARIF).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert rules[result["ruleIndex"]]["defaultConfiguration"]["level"] == result["level"]
    return run


def properties_of(suite):
    return {item.get("name"): item.get("value") for item in suite.find("properties")}


def outcome_of(suite):
    """The element that says why the one case has not passed; None when it has."""
    (case,) = suite.findall("testcase")
    return case[0] if len(case) else None


def name_of(suite):
    return suite.find("testcase").get("name")


def test_verdicts(gate):
    """Every state of a verdict, in both formats, as the exit status and JSON have it."""
    bound = json.loads(gate.run(["analyze", *VECADD, *QUICK, "--json"], 0)[0])["verdict"]
    between = str((bound["bound"] + bound["slowest"]["cycles"]) // 2)
    cases = [
        (VECADD, 0, "bounded", None, None),
        ([*VECADD, *MODEL, "--deadline", "1s"], 0, "met", None, None),
        ([*VECADD, *MODEL[:2], "--deadline", "1s"], 1, "model-only", "failure", "deadline-model-only"),
        ([*VECADD, *MODEL, "--deadline", between], 1, "open", "failure", "deadline-open"),
        ([*VECADD, *MODEL, "--deadline", "1"], 1, "open", "failure", "deadline-open"),
        ([*CODE, "--deadline", "1"], 1, "missed", "failure", "deadline-missed"),
        ([*VECADD, *MODEL, "--deadline", "1s", "-i", "0"], 1, "block-only", "error", "deadline-unproven"),
        ([*VECADD, "--method", "waves"], 0, "unproven", "skipped", None),
        ([*STREAM], 0, "bounded", None, None),
        ([*STREAM, *MODEL, "--deadline", "1s"], 0, "met", None, None),
        ([*STREAM, *MODEL, "--deadline", "1"], 1, "open", "failure", "deadline-open"),
        (["docs/examples/ecrts2025-fig2.yaml", "--deadline", "1"], 1, "missed", "failure", "deadline-missed"),
        (["docs/examples/triangle-sum-slide.yaml"], 0, None, None, None),
    ]
    for words, status, state, element, rule in cases:
        if words != STREAM and "--method" not in words and not words[0].endswith(".yaml"):
            words = [*words, *QUICK]
        case, run = gate.junit(words, status), gate.sarif(words, status)
        verdict = json.loads(gate.run(["analyze", *words, "--json"], status)[0])["verdict"]
        properties, outcome = properties_of(case), outcome_of(case)
        assert state in (None, verdict["state"]) and properties["state"] == verdict["state"], (words, verdict)
        assert properties["scope"] == verdict["scope"]
        for name, key in (("bound_cycles", "bound"), ("margin_cycles", "margin"), ("deadline_cycles", "deadline")):
            assert properties.get(name) == (None if verdict[key] is None else str(verdict[key])), (words, key)
        assert properties.get("method") == verdict["method"]
        slowest = verdict["slowest"] or {"cycles": None, "how": None}
        assert properties.get("slowest_cycles") == (slowest["cycles"] and str(slowest["cycles"]))
        if state is None:
            continue
        assert (outcome.tag if outcome is not None else None) == element, words
        if element in ("failure", "error"):
            assert outcome.get("type") == state and outcome.get("message").startswith(state + ": ")
        results = [result for result in run["results"] if result["ruleId"].startswith("deadline-")]
        assert [result["ruleId"] for result in results] == ([rule] if rule else []), words
        for result in results:
            assert result["properties"]["verdict"] == verdict


def test_places(gate):
    """A finding stands at the kernel's source, or, without line information, at its name in the PTX."""

    def place(words):
        (result,) = gate.sarif([*words, *MODEL, *QUICK, "--deadline", "1"], 1)["results"]
        physical = result["locations"][0]["physicalLocation"]
        return physical["artifactLocation"]["uri"], physical["region"]

    uri, region = place(VECADD)
    assert uri == "kernels/src/vecadd.cu" and "startColumn" not in region
    assert place([os.path.abspath(VECADD[0]), *VECADD[1:]])[0] == uri
    (found,) = gate.sarif([*BFS, *QUICK, "--inputs", "any"], 3)["results"]
    (physical,) = (place["physicalLocation"] for place in found["locations"])
    (beside,) = (place["physicalLocation"] for place in found["relatedLocations"])
    assert physical["artifactLocation"]["uri"] == "kernels/src/bfs_level.cu" and physical["region"] == {"startLine": 9}
    assert beside["artifactLocation"]["uri"] == BFS[0]
    with tempfile.TemporaryDirectory() as folder, open("kernels/vecadd.ptx") as ptx:
        path = os.path.join(folder, "plain.ptx")
        text = re.sub(r"(?m)^\s*\.(loc|file)\s.*\n", "", ptx.read())
        with open(path, "w") as plain:
            plain.write(text)
        uri, region = place([path, *VECADD[1:]])
        assert uri == "file://" + path
        line = text.split("\n")[region["startLine"] - 1]
        assert line[region["startColumn"] - 1 :].startswith("vecadd"), line


def test_failures(gate):
    """A run that fails has a document in every format, with the same status and the same text on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "bad.ptx")
        with open(bad, "w") as file:
            file.write(".version 7.0\n.target sm_80\n.address_size 64\n  garbage\n")
        runs = [
            (["analyze", bad, *VECADD[1:]], 2, True),
            (["analyze", *VECADD, "-m", "nothing-like-it"], 2, False),
            (["analyze", *VECADD, "--method", "nothing-like-it"], 2, False),
            (["analyze", "kernels/vecadd.ptx"], 2, False),
            (["analyze", *BFS, *QUICK, "--inputs", "any"], 3, None),
            (["analyze", *VECADD, "--no-such-option"], 2, False),
        ]
        for words, status, placed in runs:
            words, odd = (words[:-1], [words[-1]]) if words[-1].startswith("--no") else (words, [])
            _, messages = gate.run([*words, *odd], status)
            for form in ("json", "junit", "sarif"):
                out, err = gate.run([*words, "--format", form, *odd], status)
                assert err == messages
                check_failure(form, out, status, placed)
                file = os.path.join(folder, "out")
                assert gate.run([*words, "--format", form, "-o", file, *odd], status)[0] == b""
                with open(file, "rb") as written:
                    assert written.read() == out
        for words in (["cache", bad], ["path", bad], ["simulate", bad], ["occupancy", bad, "-b", "32"]):
            out, _ = gate.run([*words, "--json"], 2)
            check_failure("json", out, 2, True)


def check_failure(form, out, status, placed):
    if form == "json":
        document = json.loads(out.decode("utf-8"))
        schema_test.make_validators(schema_test.load_schemas())["warpbound-messages"].validate(document)
        assert document["status"] == status
        errors = [message for message in document["messages"] if message["severity"] == "error"]
        assert errors and (placed is None or (errors[0]["line"] is not None) == placed)
    elif form == "junit":
        outcome = outcome_of(check_junit(out))
        assert outcome.tag == "error" and outcome.get("message") and outcome.text.strip()
    else:
        run = check_sarif(out)
        (invocation,) = run["invocations"]
        assert not invocation["executionSuccessful"]
        found = [result for result in run["results"] if result["level"] == "error"]
        noted = [note for note in invocation["toolExecutionNotifications"] if note["level"] == "error"]
        assert found if placed else noted if placed is False else found + noted


def test_case_names(gate):
    """A case has the same name in a run that fails, with the machine in it; different runs have different names."""
    more = ([], ["-m", "jcse2017"], ["--set", "sms=2"])
    with tempfile.TemporaryDirectory() as folder:
        code, launch = (shutil.copy(path, folder) for path in (VECADD[0], VECADD[2]))
        runs = [[*run, *words, *QUICK] for run in ([code, "-l", launch], [launch]) for words in more]
        whole = [name_of(gate.junit(run, 0)) for run in runs]
        with open(code, "w") as file:
            file.write("garbage\n")
        assert [name_of(gate.junit(run, 2)) for run in runs] == whole and len(set(whole)) == len(runs)
    assert all(re.search(r" on (ecrts2025-orin|jcse2017)(, sms=2)?: bound$", name) for name in whole), whole


def test_sweep(gate):
    """The cases of a sweep, of which one is refused and one meets no deadline, are as the schema has them."""
    if "sweep" not in schema_test.WINGS:
        return
    with tempfile.TemporaryDirectory() as folder:
        path, database = os.path.join(folder, "s.yaml"), os.path.join(folder, "s.db")
        with open(path, "w") as file:
            file.write(f"code: [{os.path.abspath(VECADD[2])}, {path}]\nmachine: ecrts2025-orin\nmethods: kernel\n"
                       "policies: lrr\naccept: ptx-model\ndeadline: [1s, 1us]\n")
        gate.run(["sweep", path, "-o", database], 1)
        suite = check_junit(gate.run(["sweep", "show", database, "--format", "junit"], 0)[0])
        assert all("machine=ecrts2025-orin" in case.get("name") for case in suite.findall("testcase"))
        assert int(suite.get("failures")) == 1


def test_limits(gate):
    """What a limit ended is broken, also where what was found meets the deadline."""
    words = [*VECADD, "--method", "k-exhaustive,k-area", "--states", "50", *MODEL, "--deadline", "1s"]
    case, run = gate.junit(words, 4), gate.sarif(words, 4)
    assert outcome_of(case).tag == "error" and properties_of(case)["state"] == "met"
    assert not run["invocations"][0]["executionSuccessful"]


def test_names(gate):
    """Whatever bytes the names of files have, and whatever PTX allows in those of kernels."""
    generator = random.Random(17)
    with open("kernels/vecadd.ptx", "rb") as file:
        ptx = file.read()
    kernel = b"$_" + b"a" * 300
    ptx = re.sub(rb"\bvecadd\b(?=\()", kernel, ptx, count=1)
    with open("kernels/vecadd.yaml", "rb") as file:
        launch = re.sub(rb"(?m)^kernel:.*\n", b"", file.read())
    names = [b"a\"b'<c>&d.ptx", b"\x01\x1f\x7f\xc2\x80.ptx", b"\xff\xfe\xc0\xaf\xed\xa0\x80.ptx", b"]]>\n\r\t.ptx",
             "\u2028\ufffe\uffff\U0001f600.ptx".encode("utf-8", "surrogatepass"), b"c:%2f?#[].ptx", b"-- -->.ptx"]
    for _ in range(6):
        names.append(bytes(generator.choice([*range(1, 47), *range(48, 256)]) for _ in range(20)) + b".ptx")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = os.path.join(os.fsencode(folder), name)
            yaml_path = path[:-4] + b".yaml"
            for target, text in ((path, ptx), (yaml_path, launch)):
                with open(target, "wb") as file:
                    file.write(text)
            words = [os.fsdecode(path), "-l", os.fsdecode(yaml_path), "--method", "k-area", *MODEL, "--deadline", "1"]
            suite = gate.junit(words, 1)
            assert properties_of(suite)["kernel"] == kernel.decode()
            run = gate.sarif(words, 1)
            assert urllib.parse.unquote_to_bytes(run["artifacts"][0]["location"]["uri"]) == b"file://" + path
            with open(path, "ab") as file:
                file.write(b"\xff<&>\x00\x01\n")
            gate.junit(words, 2)
            (result, *_) = gate.sarif(words, 2)["results"]
            uri = urllib.parse.unquote_to_bytes(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
            # A message names the file as it is shown: names that are not printable are escaped there.
            if os.fsdecode(path).isprintable():
                assert uri == b"file://" + path, (uri, path)
            assert uri.startswith(b"file://" + os.fsencode(folder)), uri
            json.loads(gate.run(["analyze", *words, "--json"], 2)[0].decode("utf-8"))


def test_made_from(gate):
    """With --all the text ends with what the result was made from, as JSON has it."""
    inputs = json.loads(gate.run(["analyze", *BFS, "--method", "sib", "--json"], 0)[0])["inputs"]
    text = gate.run(["analyze", *BFS, "--method", "sib", "--all"], 0)[0].decode()
    expected = [f"  {i['role']} {i['path']}, {i['bytes']} bytes\n    sha256 {i['sha256']}\n" for i in inputs]
    assert len(inputs) == 6 and text.endswith("\nmade from\n" + "".join(expected)), text[-1500:]


def test_examples():
    """The pipelines of docs/examples/ci are YAML with the parts that make them run."""
    with open("docs/examples/ci/github-actions.yml") as file:
        github = yaml.safe_load(file)
    (job,) = github["jobs"].values()
    assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    with open("docs/examples/ci/gitlab-ci.yml") as file:
        gitlab = yaml.safe_load(file)
    (job,) = [value for value in gitlab.values() if isinstance(value, dict)]
    assert all(isinstance(line, str) for line in job["before_script"] + job["script"])
    assert job["stage"] in gitlab["stages"] and job["artifacts"]["reports"]["junit"] == "blur.xml"


def test_comparison(gate):
    """docs/examples/ci/compare.jq fails from the percentage on by which a bound has grown."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = os.path.join(folder, "old.json"), os.path.join(folder, "new.json")
        gate.run(["analyze", *VECADD, "--method", "k-area", "--json", "-o", old], 0)
        with open(old) as file:
            document = json.load(file)

        def compare(percent):
            words = ["jq", "-e", "-n", "-f", "docs/examples/ci/compare.jq", "--slurpfile", "old", old]
            words += ["--slurpfile", "new", new, "--argjson", "percent", str(percent)]
            return subprocess.run(words, capture_output=True)

        was = document["verdict"]["bound"]
        for bound, percent, status in ((was, 0, 0), (was + 1, 0, 1), (2 * was, 100, 0), (2 * was, 99, 1), (1, 5, 0)):
            document["verdict"]["bound"] = bound
            with open(new, "w") as file:
                json.dump(document, file)
            assert compare(percent).returncode == status, (bound, percent, compare(percent).stderr)
        document["inputs"][0]["sha256"] = "0" * 64
        with open(new, "w") as file:
            json.dump(document, file)
        assert b"kernels/vecadd.ptx" in compare(5).stderr
        document["verdict"]["bound"] = None
        with open(new, "w") as file:
            json.dump(document, file)
        assert compare(5).returncode > 1


def main():
    gate = Gate(sys.argv[1])
    for test in (test_verdicts, test_places, test_failures, test_case_names, test_sweep, test_limits, test_names,
                 test_made_from, test_comparison):
        test(gate)
    test_examples()


if __name__ == "__main__":
    main()
