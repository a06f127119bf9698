"""Validates what the command writes as JSON against docs/schema, and that the schemas would catch a wrong document.

usage: schema_test.py COMMAND, in the project's top folder
"""

import copy
import glob
import html
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

from turns import of_turn

WINGS = os.environ["WB_WINGS"].split(",")

FOLDER = "docs/schema/"
NO_OUTPUT = "qualification.schema.json"  # of the command: tests/qualification/report_test.py validates it
CHEAP = "--method sib,elb,k-area,k-bal"
ADD = "-k add -g 1 -b 32 -a buf:f32[32]=iota -a buf:f32[32]=iota -a i32:32"
MODEL = "-m ecrts2025-orin --accept ptx-model"


def load_schemas():
    """Every schema by its file name; their references are relative to the folder."""
    schemas = {os.path.basename(path): json.load(open(path)) for path in sorted(glob.glob(FOLDER + "*.json"))}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    return schemas


def inside(schema, file):
    """The schema of a file with references into a document that has all of them under $defs."""
    if isinstance(schema, list):
        return [inside(item, file) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: inside(value, file) for key, value in schema.items() if key not in ("$schema", "$ref")}
    if "$ref" in schema:
        other, place = schema["$ref"].split("#")
        made["$ref"] = f"#/$defs/{other or file}{place}"
    return made


def make_validators(schemas):
    """A validator for each name of a format of the command that a schema is for."""
    everything = {file: inside(schema, file) for file, schema in schemas.items()}
    validators = {}
    for file, schema in schemas.items():
        if "format" not in schema.get("properties", {}) or file == NO_OUTPUT:
            continue
        form = schema["properties"]["format"]["properties"]["name"]["const"]
        assert file == form.removeprefix("warpbound-") + ".schema.json", file
        validators[form] = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{file}", "$defs": everything})
    return validators


def by_hand(folder):
    """Files that the commands below name: with odd names, a machine, what ptxas prints."""
    path = os.path.join(folder, "launch \u00fc\u2028.yaml")
    with open("kernels/vecadd.yaml") as source, open(path, "w") as copied:
        copied.write(source.read())
    odd = os.path.join(os.fsencode(folder), b"bad\xff\x01name.ptx")
    with open("kernels/vecadd.ptx", "rb") as source, open(odd, "wb") as copied:
        copied.write(source.read())
    machine = os.path.join(folder, "machine.yaml")
    with open(machine, "w") as out:
        out.write("name: mine\nbase: ecrts2025-orin\nlaunch_overhead: 1000\n")
    ptxas = os.path.join(folder, "ptxas.txt")
    with open(ptxas, "w") as out:
        out.write("ptxas info    : Compiling entry function 'vecadd' for 'sm_86'\nptxas info    : Used 12 registers\n")
    return path, os.fsdecode(odd), machine, ptxas


def swept(command, folder):
    """A database with units of all kinds: done, with any data and with given data, of streams, declined, refused."""
    path = os.path.join(folder, "sweep.yaml")
    kernels = os.path.abspath("kernels")
    codes = ", ".join(f"{kernels}/{name}.yaml" for name in ("vecadd", "histogram_unknown", "horner_stream", "bfs_level"))
    with open(path, "w") as out:
        out.write(f"code: [{codes}]\nmachine: [ecrts2025-orin, jcse2017]\ngrid: ['1', '0']\ndeadline: 1ms\naccept: ptx-model\n")
        out.write("methods: [sib, gub, k-area, exhaustive, segment-sum]\nstates: 50\n")
        out.write(f"include: [{{code: {kernels}/horner_stream.yaml}}]\n")
    database = os.path.join(folder, "sweep.db")
    done = subprocess.run([command, "sweep", path, "-o", database], capture_output=True)
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
    return database


def commands(command, folder):
    """Command lines with the exit status of each."""
    launch, odd, machine, ptxas = by_hand(folder)
    vecadd = "kernels/vecadd.ptx -l kernels/vecadd.yaml"
    bfs = "kernels/bfs_level.ptx -l kernels/bfs_level.yaml"
    machine_code = "kernels/cubin/reduce.sm_86.cubin -l kernels/reduce.yaml"
    facts = bfs + " --facts kernels/bfs_level.facts"
    stream = "kernels/horner.ptx -l kernels/horner_stream.yaml"
    listed = [
        f"analyze {vecadd}",
        f"analyze {vecadd} --timing --phases",
        f"analyze {vecadd} --method sib -i 1 --phases",
        (4, f"analyze {vecadd} --method sib,gub,aln,fib,fifo,elb,exhaustive -i 0 --states 100"),
        (4, f"analyze {vecadd} --method k-exhaustive,k-area --states 50"),
        f"analyze {vecadd} --method k-adversary,adversary,k-area -g 1 -b 32",
        f"analyze {vecadd} {CHEAP} {MODEL} --deadline 1s",
        f"analyze {vecadd} --lines --method k-area --policy lrr",
        f"analyze {vecadd} -m jcse2017 {CHEAP} --lines",
        (1, f"analyze {vecadd} {CHEAP} {MODEL} --deadline 1"),
        f"analyze {vecadd} {CHEAP} {MODEL} --deadline 1s --scope block",
        (1, f"analyze {vecadd} {CHEAP} {MODEL} --deadline 1s -i 1"),
        f"analyze {vecadd} --inputs any",
        f"analyze {vecadd} --inputs any -i 0 --method sib",
        f"analyze {vecadd} {CHEAP} --assume all --registers 40 --set mem_latency=9 --set unit.INT.count=2 --memory ideal",
        f"analyze {vecadd} -m {machine} --accept ptx-model --method sib,kernel --deadline 1ms --policy lrr,gto,rr,oldest",
        f"analyze {vecadd} {CHEAP} -m jcse2017 --ptxas-info {ptxas}",
        f"analyze {machine_code} -m rtx-a6000 --set interference=100,50 --lines --policy lrr",
        f"analyze {vecadd} --scheme default",
        f"analyze {vecadd} --scheme reorder",
        f"analyze {vecadd} --scheme pure-rr --policy rr",
        f"analyze {facts} {CHEAP}",
        f"analyze {facts} {CHEAP} {MODEL} --deadline 1s --inputs given",
        f"analyze {facts} -m jcse2017 --method segment-sum",
        f"analyze {facts} -i 0 --method sib",
        f"analyze {stream}",
        f"analyze {stream} {CHEAP} {MODEL} --deadline 1s --timing",
        (1, f"analyze {stream} {CHEAP} {MODEL} --deadline 1"),
        f"analyze {stream} -m jcse2017",
        "analyze tests/data/stream/leave_and_read.ptx -l tests/data/stream/leave_and_read.yaml -m jcse2017",
        "analyze docs/examples/ecrts2025-fig2.yaml",
        "analyze docs/examples/ecrts2025-fig4.yaml --phases --deadline 1000",
        "analyze tests/data/methods/many-together.yaml --method all",
        f"simulate {vecadd}",
        f"simulate {vecadd} --policy rr,oldest -i 1",
        "simulate docs/examples/ecrts2025-fig2.yaml",
        f"simulate {vecadd} --scheme all -m jcse2017 --timing",
        f"simulate {vecadd} --scheme default",
        f"simulate {bfs} --scheme all -m jcse2017 --policy lrr",
        f"cache {vecadd}",
        f"cache {facts}",
        f"occupancy {vecadd}",
        f"occupancy {vecadd} --registers 255 -m jcse2017 -s 4096",
        "print kernels/cubin/vecadd.sm_86.cubin",
        "print kernels/cubin/o1/integer_mix.sm_90.cubin",
        (2, "print kernels/vecadd.ptx"),
        "print tests/data/fatbin/linked",
        *(f"{of} tests/data/fatbin/zstd.o {ADD} --image compute" for of in ("analyze", "simulate", "path", "cache", "occupancy")),
        f"path {vecadd}",
        f"path {vecadd} --accesses",
        f"path {machine_code} --accesses",
        f"analyze {machine_code} -m ecrts2025-orin --lines 5 --method k-area --policy lrr",
        f"path {facts} --accesses",
        f"path {vecadd} --format jcse-json",
        f"path {bfs} --format jcse-json",
        "machine list",
        "machine show rtx-a6000",
        "machine check kernels/cubin/vecadd.sm_86.cubin -m rtx-a6000 --set sass.branch=20",
        "machine show ecrts2025-orin --set mem_latency=300 --set dispatch_depth=unlimited",
        (2, "analyze kernels/vecadd.ptx"),
        (2, "path README.md"),
        ["analyze", odd, "-l", launch, "--method", "sib,k-area", "-o", "-"],
        "analyze kernels/components.ptx -l kernels/components.yaml --facts kernels/components.facts " + CHEAP,
        "analyze kernels/cubin/vecadd.sm_87.cubin --trace tests/kernels/data/vecadd.traceg -m jetson-agx-orin",
    ]
    if "sweep" in WINGS:
        listed += [f"sweep show {swept(command, folder)}"]
    if "device" in WINGS:
        on_gpu = f"measure {{}} -n 3 --driver {os.environ['WB_STAND_IN']}"
        listed += [
            on_gpu.format("kernels/saxpy.yaml --results"),
            on_gpu.format("kernels/cubin/saxpy.sm_87.cubin -l kernels/saxpy.yaml -m jetson-agx-orin"),
            on_gpu.format("kernels/horner_stream.yaml --beside bandwidth"),
            (1, on_gpu.format("kernels/fir.yaml -m ecrts2025-orin --deadline 1 --warm")),
        ]
    if "task" in WINGS:
        listed += [f"task docs/examples/task/task.yaml {more}" for more in ("--method kernel", "--export rtgpu")]
        listed += ["task docs/examples/task/streams.yaml --export gcaps --preemption 1us"]
    if "jcse2017" in WINGS:
        listed += [
            f"cache {vecadd} --order --first 20",
            f"cache {vecadd} --channels",
            f"cache {bfs} --order --sm 0 --first 30",
        ]
    if "abstract_cta" in WINGS:
        listed += [
            "analyze docs/examples/triangle-sum-slide.yaml",
            "analyze kernels/reduce.ptx -l kernels/reduce.yaml -m hirvisalo --method abstract-cta,k-area",
            "machine show hirvisalo",
        ]
    if "makespan" in WINGS:
        listed += [
            "makespan LLC -w 4 -u L=1,C=1",
            "makespan L5(LC)2 -w 3 -u L=1/2,C=4 --method brute,anneal,closed --timing",
            "makespan docs/examples/ecrts2012-fig4.conf --method closed,pessimistic",
            f"makespan {vecadd} -w 2 -u L=1,C=1 --method closed,pessimistic",
        ]
    for case in index():
        listed.append(f"analyze kernels/{case[1]} -l kernels/{case[2]} {CHEAP} {MODEL} --deadline 1s")
    return listed


def index():
    """The cases of kernels/index.txt, half of them in turn."""
    with open("kernels/index.txt") as lines:
        return of_turn([line.split() for line in lines if line.strip() and not line.startswith("#")])


def run(command, line):
    expected = 0
    if isinstance(line, tuple):
        expected, line = line
    words = line if isinstance(line, list) else line.split()
    if "jcse-json" not in words:
        words = words + ["--json"]
    done = subprocess.run([command] + words, capture_output=True)
    if done.returncode != expected:
        message = done.stderr.decode(errors="replace")
        raise RuntimeError(f"warpbound {' '.join(words)}: status {done.returncode}: {message}")
    return words, json.loads(done.stdout.decode("utf-8"))


def say(words, error):
    path = "/".join(str(step) for step in error.absolute_path)
    for cause in sorted(error.context, key=lambda cause: -len(cause.absolute_path))[:3]:
        path += f"\n    {'/'.join(map(str, cause.absolute_path))}: {cause.message[:300]}"
    return f"warpbound {' '.join(words)}\n  {path}: {error.message[:300]}"


def places(value, path=(), seen=None):
    """The path of one value of each place in a document: of arrays of an item that was not seen."""
    seen = set() if seen is None else seen
    general = tuple("*" if isinstance(step, int) else step for step in path)
    if general in seen and not isinstance(value, (dict, list)):
        return
    seen.add(general)
    yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from places(inner, path + (step,), seen)


def at(document, path):
    for step in path:
        document = document[step]
    return document


def wrong_documents(document):
    """The document with one thing wrong, at every place: what is wrong, and the document."""
    for path in places(document):
        value = at(document, path)
        if isinstance(value, dict):
            wrong = copy.deepcopy(document)
            at(wrong, path)["undocumented"] = 0
            yield f"{path}: undocumented key", wrong
        if not path:
            continue
        wrong = copy.deepcopy(document)
        at(wrong, path[:-1])[path[-1]] = {"wrong": [True]}
        yield f"{path}: an object with a wrong key in place of {value!r:.60}", wrong
        if isinstance(value, int) and not isinstance(value, bool) and path[-1] not in ("margin", "base", "stride"):
            wrong = copy.deepcopy(document)
            at(wrong, path[:-1])[path[-1]] = -1
            yield f"{path}: a negative number", wrong
        words = ("kind", "role", "state", "status", "sha256", "what", "source", "need", "steers", "requests", "of")
        if isinstance(value, str) and path[-1] in words + ("scheme", "version", "origin", "warpbound", "scope"):
            wrong = copy.deepcopy(document)
            at(wrong, path[:-1])[path[-1]] = value + "x"
            yield f"{path}: {value}x", wrong


def check_wrong(validator, document):
    """How many wrong documents there are; each must be caught."""
    count = 0
    for what, wrong in wrong_documents(document):
        assert not validator.is_valid(wrong), f"not caught: {what}"
        count += 1
    return count


def check_documented(schemas):
    """Every key of every schema stands in docs/json.md."""
    with open("docs/json.md") as page:
        documented = set(sum(re.findall(r"`([a-z0-9_]+)`|\"([a-z0-9_]+)\":", page.read()), ()))

    def keys(schema):
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
            for inner in schema.values():
                yield from keys(inner)
        elif isinstance(schema, list):
            for inner in schema:
                yield from keys(inner)

    missing = {key for file, schema in schemas.items() if file != NO_OUTPUT for key in keys(schema)} - documented
    missing -= {"L", "C", "S", "D", "G", "Gm", "Ge", "GW", "GL"}
    assert not missing, f"docs/json.md does not have: {sorted(missing)}"


def page_document(path):
    """The document that stands in a report in HTML, and what its script gets besides: of it, and of its launches."""
    with open(path, encoding="utf-8") as page:
        (text,) = re.findall(r'<script type="application/json" id="document">\n(.*?)</script>', page.read(), re.DOTALL)
    assert not set(text) & set("<>&"), path
    document = json.loads(text)
    pages = [document.pop("page")] + [launch.pop("page") for launch in document.get("launches", []) if "page" in launch]
    return document, pages


def check_pages(command, schemas, folder):
    """A report in HTML has the document of --json, and the line of the text report."""
    costs = jsonschema.Draft202012Validator(
        {"$ref": "#/$defs/analyze.schema.json/$defs/costs", "$defs": {file: inside(schema, file) for file, schema in schemas.items()}}
    )
    path = os.path.join(folder, "r.html")
    attributed = 0
    for words, launches in (
        (f"kernels/vecadd.yaml {MODEL} --deadline 1s", 0),
        ("kernels/cubin/sgemm_tiled.sm_86.cubin -l kernels/sgemm_tiled.yaml -m rtx-a6000", 0),
        ("kernels/vecadd.yaml -i 0 --method sib", 0),
        ("kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts " + CHEAP, 0),
        ("kernels/horner.ptx -l kernels/horner_stream.yaml " + CHEAP, 3),
        ("docs/examples/triangle-sum-slide.yaml", 0),
    ):
        said = subprocess.run([command, "analyze", *words.split(), "--json", "--report", path], check=True, capture_output=True, text=True)
        line = subprocess.run([command, "analyze", *words.split(), "-q"], check=True, capture_output=True, text=True).stdout
        document, pages = page_document(path)
        assert document == json.loads(said.stdout), words
        assert len(pages) == 1 + launches and pages[0]["line"] + "\n" == line, (words, pages[0]["line"], line)
        with open(path, encoding="utf-8") as page:
            shown = re.search(r'<p class="word">(.*?)</p>', page.read()).group(1)
        assert html.unescape(re.sub("<[^>]*>", "", shown)) + "\n" == line, (words, shown)
        for page in pages:
            assert "costs" not in page or not list(costs.iter_errors(page["costs"])), words
            attributed += len(page.get("instructions", ())) > 0
    assert attributed == 7, attributed  # all but abstract warps and the stream itself


def main():
    command = sys.argv[1]
    schemas = load_schemas()
    validators = make_validators(schemas)
    check_documented(schemas)
    wrong, checked, problems = 0, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for line in commands(command, folder):
            try:
                words, document = run(command, line)
            except (RuntimeError, ValueError) as error:
                problems.append(str(error))
                continue
            form = document["format"]["name"]
            errors = list(validators[form].iter_errors(document))
            problems += [say(words, error) for error in errors[:3]]
            if not errors and checked.get(form, 0) < 2 and len(json.dumps(document)) < 30000:
                wrong += check_wrong(validators[form], document)
                checked[form] = checked.get(form, 0) + 1
        check_pages(command, schemas, folder)
    unseen = set(validators) - set(checked)
    assert not problems, "\n".join(problems)
    assert not unseen, f"no small document of {unseen}"
    print(f"{len(validators)} formats; {wrong} wrong documents caught")


if __name__ == "__main__":
    main()
