"""Gives every command and format names that attack whoever reads them, and looks at all that is written.

A kernel of machine code and its source files, folders and files, fields of YAML files, values and notes of databases
have names with escape sequences, line breaks, marks of direction, quotes, HTML and formulas. Nothing that is printed
may have a control character or a mark of direction of theirs, or a line that begins with their words; JSON, XML and
HTML must be well-formed, and cells of CSV no formulas.

usage: names_test.py COMMAND, in the project's top folder
"""

import csv
import html.parser
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

from turns import of_turn

WINGS = os.environ["WB_WINGS"].split(",")

KERNEL = b"sgemm_tiled"
HOSTILE = b'=\x1b[J\n"<\xe2\x80\xae|'  # as long, for it stands in tables of strings
assert len(HOSTILE) == len(KERNEL)
FOLDER = b"\x1b[2Jfo\nmet: the kernel\xe2\x80\xae<script>"
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
FORGED = re.compile('(?m)^(met: the kernel|"<)')


class Tags(html.parser.HTMLParser):
    """Collects what a browser would take for elements."""

    def __init__(self):
        super().__init__()
        self.scripts = 0

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"


def make_files(folder):
    """The hostile kernel with its launch, in a hostile folder; and one of PTX whose source has such a name."""
    with open("kernels/cubin/sgemm_tiled.sm_86.cubin", "rb") as source:
        code = source.read()
    assert code.count(KERNEL) > 3
    cubin = os.path.join(folder, b"k.cubin")
    with open(cubin, "wb") as out:
        out.write(code.replace(KERNEL, HOSTILE))
    with open("kernels/sgemm_tiled.yaml", "rb") as source:
        launch = re.sub(rb"(?m)^(code|kernel):.*\n", b"", source.read())
    with open(os.path.join(folder, b"k.yaml"), "wb") as out:
        out.write(launch)
    with open("kernels/sgemm_tiled.ptx", "rb") as source:
        ptx = source.read()
    ptx = re.sub(rb'(?m)^(\s*\.file\s+\d+\s+")[^"\n]*\.cu', lambda found: found[1] + b"\x1b[2J\xe2\x80\xae</script><script>.cu", ptx)
    assert b"<script>" in ptx
    with open(os.path.join(folder, b"p.ptx"), "wb") as out:
        out.write(ptx.replace(b"ret;", b"/* \x1b[2J \xc2\x9b */ ret;"))
    with open(os.path.join(folder, b"script><script>.cu"), "wb") as out:
        out.write(b"// \x1b[2J \xe2\x80\xae\xff <script>\r\n" * 80)


def commands(kernel, ptx, launch, output):
    """All sub-commands in all formats, on the kernel: where they end well and where they end in messages."""
    code = [kernel, b"-l", launch, b"-m", b"rtx-a6000"]
    model = [ptx, b"-l", launch, b"-m", b"ecrts2025-orin"]
    few = [b"--method", b"k-area,code-elb", b"--policy", b"lrr"]
    for at in (code + [b"--method", b"code-elb", b"-i", b"0", b"--scope", b"block"], model + few):
        for more in ([], [b"--json"], [b"--lines"], [b"--annotate", b"-"], [b"--explain", b"all"], [b"--phases"],
                     [b"--format", b"junit", b"--deadline", b"1s"], [b"--format", b"sarif", b"--deadline", b"1"],
                     [b"--report", output + b".html"], [b"--certificate", output + b".cert"], [b"-q"], [b"-v"],
                     [b"--schedule"], [b"--schedule", b"--format", b"trace"], [b"--schedule", b"--format", b"svg"]):
            yield [b"analyze", *at, *more]
    for at in (code, model):
        few = [*at, b"-i", b"0", b"--policy", b"lrr"]
        for form in (b"text", b"json"):
            yield [b"simulate", *few, b"--format", form]
            yield [b"path", *at[:3], b"-i", b"0", b"--accesses", b"--format", form]
            yield [b"occupancy", *at, b"--format", form]
            yield [b"cache", *at[:3], b"-m", b"jcse2017", b"--format", form]
            if "jcse2017" in WINGS:
                yield [b"cache", *at[:3], b"-m", b"jcse2017", b"--order", b"--first", b"9", b"--format", form]
            yield [b"print", at[0], b"--format", form]
            yield [b"machine", b"check", at[0], b"-m", b"rtx-a6000", b"--format", form]
        for form in (b"text", b"svg", b"trace"):
            yield [b"simulate", *few, b"--schedule", b"--format", form]
        for form in (b"text", b"dot"):
            yield [b"cfg", at[0], b"--format", form]
        if "gated_ssa" in WINGS:
            yield [b"cfg", at[0], b"--ssa"]
        yield [b"cfg", *at[:3], b"--lines"]
        yield [b"path", *at[:3], b"--format", b"jcse"]
        yield [b"path", *at[:3], b"--format", b"jcse-json"]
        yield [b"facts", at[0]]
        yield [b"init", at[0], b"-o", b"-"]
        yield [b"init", at[0]]
        yield [b"init", at[0]]
        if "makespan" in WINGS:
            yield [b"makespan", *at[:3], b"-u", b"L=1,C=4", b"-i", b"0", b"--method", b"closed"]
            yield [b"makespan", *at[:3], b"-u", b"L=1,C=4", b"-i", b"0", b"--method", b"closed", b"--json"]
        yield [b"analyze", at[0], b"-k", HOSTILE, b"-l", launch]
        yield [b"analyze", at[0] + b"\x1b[2J", b"-l", launch]
        yield [b"analyze", at[0], b"-l", launch, b"-a", HOSTILE, b"-m", HOSTILE]
        yield [b"analyze", at[0], b"--" + HOSTILE]
    yield [b"analyze", ptx, b"-l", launch, b"--cubin", kernel, *few[-2:]]
    yield [b"machine", b"show", b"ecrts2025-orin", b"--set", HOSTILE]
    yield [HOSTILE]
    yield [b"help", HOSTILE]
    yield [b"completion", HOSTILE]
    yield [b"makespan", HOSTILE, b"-w", b"2"]


def look(what, written):
    """All of it is printable."""
    text = written.decode()  # UTF-8, or this fails
    bad = FORBIDDEN.search(text) or (None if text.startswith("<") else FORGED.search(text))
    assert bad is None, f"{what}: {text[max(0, bad.start() - 90):bad.end() + 20]!r}"
    return text


def look_at_format(what, text):
    """What says that it is of a format is."""
    start = text.lstrip()[:15]
    if start.startswith(("{", "[{")):
        for document in [text] if "json-lines" not in str(what) else text.splitlines():
            json.loads(document)
    elif start.startswith(("<?xml", "<svg")):
        assert "script" not in {element.tag.split("}")[-1] for element in tree.fromstring(text).iter()}, what
    elif start.lower().startswith("<!doctype html"):
        tags = Tags()
        tags.feed(text)
        assert tags.scripts == text.count("<script") <= 2, what  # the page's own


def run(command, words, folder):
    """Runs it; looks at its streams and at the files that it wrote."""
    done = subprocess.run([command, *words], capture_output=True, timeout=120, cwd=folder, stdin=subprocess.DEVNULL)
    what = b" ".join(words)
    assert done.returncode in range(5), f"{what}: {done.returncode}"
    for stream in (done.stdout, done.stderr):
        look_at_format(what, look(what, stream))
    for name in os.listdir(folder):
        if name.startswith(b"out"):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                look_at_format(what, look(what, file.read()))
            os.remove(path)
    return done


def test_commands(command, folder):
    worked = set()
    plain = (b"k.cubin", b"p.ptx", b"k.yaml")
    hostile = tuple(os.path.join(folder, b"\x1b[2J\nmet: the kernel\xe2\x80\xae" + name) for name in plain)
    for name, other in zip(plain, hostile):
        shutil.copy(os.path.join(folder, name), other)
    for names in of_turn([plain, hostile]):
        for words in commands(*names, b"out"):
            done = run(command, words, folder)
            if done.returncode == 0:
                worked.add(words[0])
    assert worked >= {b"analyze", b"simulate", b"path", b"occupancy", b"print", b"cfg", b"facts", b"init", b"cache",
                      b"machine"}, worked
    # The name as it is shown is the name.
    shown = rb'=\x1b[J\n"<\u202e|'
    assert run(command, [b"cfg", b"k.cubin", b"-k", shown], folder).stdout.startswith(b"kernel " + shown)
    assert b"kernel: " in run(command, [b"init", b"k.cubin", b"-k", shown, b"-o", b"-"], folder).stdout


def test_yaml(command, folder):
    """Texts of YAML files cannot have such characters, and names of them no line breaks."""
    written = '"\\e[2J"', '"a\\nb"', '"a\\u202Eb"', '"a\\u009Bb"', "|\n  a\n  b\n"
    files = ("name: X\nbase: ecrts2025-orin\n", "block: X\nunits: 'L: 1'\nwarps: [L]\n", "code: p.ptx\nkernel: X\n",
             "problem: X\nwarps: 2\nunits: 'L=1'\n", "code: [X]\nmachine: ecrts2025-orin\n",
             "code: [p.ptx]\nmachine: X\n", "code: [p.ptx]\narguments: [[X]]\n", "X: 1\n")
    for file in files:
        for text in written:
            with open(os.path.join(folder, b"y.yaml"), "w") as out:
                out.write(file.replace("X", text))
            for words in ([b"analyze", b"y.yaml"], [b"machine", b"show", b"./y.yaml"], [b"makespan", b"y.yaml"],
                          [b"sweep", b"y.yaml", b"--dry-run"], [b"sweep", b"y.yaml", b"-o", b"y.db"]):
                assert run(command, words, folder).returncode != 0, (file, text, words)


def test_database(command, folder):
    """Databases are files of others, too."""
    with open(os.path.join(folder, b"s.yaml"), "w") as out:
        out.write("code: [k.yaml]\nmachine: [ecrts2025-orin, jcse2017]\nmethods: [sib]\nset: {mem_latency: [9, 10]}\n")
    with open(os.path.join(folder, b"k.yaml"), "ab") as out:
        out.write(b"code: p.ptx\nkernel: sgemm_tiled\n")
    done = run(command, [b"sweep", b"s.yaml", b"-o", b"s.db"], folder)
    assert done.returncode == 0, done.stderr
    hostile = '=cmd|"<script>\x1b[2J\u202e\n'
    database = sqlite3.connect(os.path.join(os.fsdecode(folder), "s.db"))
    database.execute("UPDATE parameter SET name = ? WHERE name = 'machine'", (hostile,))
    database.execute("UPDATE parameter SET value = ? WHERE name = 'code'", (hostile,))
    database.execute("UPDATE unit SET message = ?1, method = ?1, state = ?1", (hostile,))
    database.execute("UPDATE number SET note = ?1, name = ?1, kind = ?1, what = ?1, scope = ?1, data = ?1", (hostile,))
    database.commit()
    database.close()
    shutil.copy(os.path.join(folder, b"s.db"), os.path.join(folder, b"t.db"))
    database = sqlite3.connect(os.path.join(os.fsdecode(folder), "t.db"))
    database.execute("UPDATE unit SET bound = bound + 1")
    database.commit()
    database.close()
    for form in (b"markdown", b"csv", b"json", b"json-lines", b"junit"):
        done = run(command, [b"sweep", b"show", b"s.db", b"--format", form], folder)
        assert done.returncode == 0 and b"cmd|" in done.stdout.replace(b"\\|", b"|"), (form, done)
        if form == b"csv":
            cells = [cell for row in csv.reader(io.StringIO(done.stdout.decode())) for cell in row]
            assert not any(cell[:1] in ("=", "+", "-", "@") for cell in cells), cells
            assert any(cell.startswith("'=cmd|\"<script>") for cell in cells), cells
        if form == b"markdown":
            assert all(re.fullmatch(r"\|.*\|", line) for line in done.stdout.decode().splitlines())
            assert b"\\<script" in done.stdout and b" <script" not in done.stdout
    assert run(command, [b"sweep", b"diff", b"s.db", b"t.db"], folder).returncode == 0
    done = run(command, [b"sweep", b"plot", b"s.db", b"--x", b"mem_latency"], folder)
    assert done.returncode in (0, 2), done
    assert run(command, [b"sweep", b"merge", b"s.db", b"-o", b"u.db"], folder).returncode in (0, 2)


def main():
    command = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(os.fsencode(place), FOLDER)
        os.mkdir(folder)
        make_files(folder)
        test_commands(command, folder)
        test_yaml(command, folder)
        if "sweep" in WINGS:
            test_database(command, folder)


if __name__ == "__main__":
    main()
