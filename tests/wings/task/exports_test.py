"""What `task --export` writes: its numbers, and response times from it against simulated schedules.

usage: exports_test.py COMMAND, in the project's top folder
"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

FOLDER = "docs/examples/task/"
sys.path.insert(0, FOLDER)
import response_times  # noqa: E402

TASK = FOLDER + "task.yaml"


def run(*words, expected=0):
    quick = ["--method", "kernel"] if "--method" not in words else []
    done = subprocess.run([sys.argv[1], *words, *quick], capture_output=True, text=True)
    assert done.returncode == expected, (words, done.returncode, done.stderr)
    return done.stdout + done.stderr


def check_numbers():
    """The exports say the same of the task as its report, rounded up to nanoseconds."""
    report = json.loads(run("task", TASK, "--json"))
    assert report == json.loads(run("analyze", TASK, "--export", "json"))

    def ns(cycles):
        return int(cycles * 1000 / report["clock_mhz"]) + 1 if cycles else 0

    segments = json.loads(run("task", TASK, "--export", "gcaps", "--preemption", "1us"))
    host = sum(node["cycles"] for node in report["nodes"] if node["kind"] == "host")
    assert segments["C"] == ns(host) and segments["G"] == ns(report["cycles"] - host), segments
    assert segments["D"] == 10_000_000 and 1000 <= segments["epsilon"] <= 1010, segments
    rows = list(csv.DictReader(io.StringIO(run("task", TASK, "--export", "csv"))))
    graph = run("task", TASK, "--export", "dot")
    assert len(rows) == len(report["nodes"])
    for row, node in zip(rows, report["nodes"]):
        wcet = str(ns(node["cycles"] + node["overhead"] + node["beside"]))
        assert (row["node"], row["wcet_ns"], row["end_ns"]) == (node["name"], wcet, str(ns(node["end"]))), row
        assert row["after"].split() == node["after"] and row["assumptions"].split() == node["assumptions"], row
        assert f'  "{node["name"]}" [wcet_ns={wcet},' in graph
    assert graph.count(" -> ") == sum(len(node["after"]) for node in report["nodes"])
    assert all("T1" in node["assumptions"] for node in report["nodes"])


def check_graph():
    """A task whose order is the graph that was exported takes the same."""
    with open(TASK) as file:
        text = re.sub(r", after: (\[.*?\]|\w+)", "", file.read()).replace("launch: ", "launch: " + os.path.abspath(FOLDER) + "/")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.yaml")
        run("task", TASK, "--export", "dot", "-o", os.path.join(folder, "g.dot"))
        with open(path, "w") as out:
            out.write("order: g.dot\n" + text)
        assert run("task", path, "-q") == run("task", TASK, "-q")


def check_spans():
    """Work and span give the bound of a kernel on any number of SMs, as analyze does, which chooses what fills of caches
    count for each number by itself."""
    found = json.loads(run("task", TASK, "--export", "rtgpu"))
    kernels = {node["name"]: node for node in found["nodes"] if node["kind"] == "GPU"}
    assert len(kernels) == 6 and all("N1" in node["assumptions"] or "N2" in node["assumptions"] for node in kernels.values())
    for sms in (1, 3, 16):
        for name in ("smooth", "tally"):
            said = json.loads(
                run("analyze", f"{FOLDER}{name}.yaml", "-m", "jetson-agx-orin", "--method", "shared", "--json",
                    "--set", "sass.l2_keeps=0", "--set", f"partition={sms},sm-mask")
            )  # fmt: skip
            bound = said["grid"]["best_upper"] * 1000 / found["clock_mhz"]
            whole = (kernels[name]["GW"] + (sms - 1) * kernels[name]["GL"]) / sms
            most = 0.01 * bound if sms < 16 else 10
            assert abs(whole - bound) <= most, (name, sms, bound, whole)


def check_refusals():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.yaml")
        with open(path, "w") as out:
            out.write("task: 'a \"b\"'\nmachine: jetson-agx-orin\nnodes:\n  'x,\"y': {host: 1us}\n  z: {copy: 32, bandwidth: 1}\n")
        assert ":4:3: error: x,\"y may run beside z" in run("task", path, "--export", "gcaps", expected=3)
        assert 'digraph "a \\"b\\"" {\n  "x,\\"y" [wcet_ns=' in run("task", path, "--export", "dot")
        assert [row[0] for row in csv.reader(io.StringIO(run("task", path, "--export", "csv")))] == ["node", 'x,"y', "z"]
    assert "--preemption is for --export gcaps" in run("task", TASK, "--preemption", "1us", expected=2)
    assert "no JSON" in run("task", TASK, "--export", "dot", "--json", expected=2)
    assert "expected gcaps, rtgpu, dot, csv or json" in run("task", TASK, "--export", "xml", expected=2)


def check_response_times():
    """No schedule of random tasks takes longer than their response times, and often one takes as long."""
    seed, attained, tried = 7, 0, 0
    draw = random.Random(seed)
    for number in range(150):
        tasks, higher = [], []
        for i in range(3):
            segments = [(draw.random() < 0.5, draw.randint(1, 3)) for _ in range(draw.randint(1, 2))]
            tasks.append((f"t{i}", draw.choice((4, 6, 12)), segments))
        bounds = []
        for task in tasks:
            bounds.append(response_times.response(task, higher))
            if bounds[-1] is None:
                break
            higher.append((bounds[-1], task[1], task[2]))
        if None in bounds:
            continue
        longest = response_times.search(tasks)
        assert all(found <= bound for found, bound in zip(longest, bounds)), (seed, number, tasks, bounds, longest)
        attained += sum(found == bound for found, bound in zip(longest, bounds))
        tried += len(tasks)
    print(f"seed {seed}: of {tried} random tasks {attained} take as long as their bound")
    assert attained > tried / 3


def check_example():
    """Two tasks of the GPU and one of the core, from their exports."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["control:1000000:5000000"]
        for name, period in (("tracking", 10_000_000), ("task", 40_000_000)):
            path = os.path.join(folder, name + ".json")
            run("task", f"{FOLDER}{name}.yaml", "--export", "gcaps", "--preemption", "50us", "-o", path)
            words.append(f"{path}:{period}")
        script = [sys.executable, FOLDER + "response_times.py", "1000000", *words]
        said = subprocess.run(script, check=True, capture_output=True, text=True).stdout
        with open("docs/task.md") as page:
            shown = page.read()
        assert "    " + said.splitlines()[-1] in shown, said


def main():
    check_numbers()
    check_graph()
    check_spans()
    check_refusals()
    check_response_times()
    check_example()


if __name__ == "__main__":
    main()
