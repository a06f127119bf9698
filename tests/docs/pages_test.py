"""The pages: mkdocs.yml lists each once, links lead somewhere, and commands do what they show.

usage: pages_test.py WARPBOUND WARPBOUND_CHECK

test_cli_pages runs the commands of docs/tutorial.md, test_cli_examples those of docs/examples.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = pathlib.Path(sys.argv.pop()).resolve()
COMMAND = pathlib.Path(sys.argv.pop()).resolve()
WINGS = {path.parent.name for path in ROOT.glob("src/wings/*/wing.cmake")}
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "kernels/README.md",
         *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))]
RUN_ELSEWHERE = ["docs/tutorial.md", "docs/examples/README.md"]


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


# ---- Navigation and links ---------------------------------------------------------------------

def listed(part):
    """The pages that a part of the navigation lists."""
    if isinstance(part, str):
        return [part]
    parts = part.values() if isinstance(part, dict) else part
    return [page for item in parts for page in listed(item)]


def anchors(text):
    """The anchors of headings that Git hosts and MkDocs make alike."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    headings = [re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", heading)).strip().lower()
                for heading in re.findall(r"^#+ +(.*)$", text, flags=re.M)]
    mkdocs = {re.sub(r"[-\s]+", "-", heading.encode("ascii", "ignore").decode())
              for heading in headings}
    return mkdocs & {heading.replace(" ", "-") for heading in headings}


class Site(unittest.TestCase):
    def test_navigation_lists_every_page_once(self):
        nav = yaml.safe_load(text_of("mkdocs.yml"))["nav"]
        self.assertEqual(sorted(listed(nav)), sorted(PAGES))

    def test_links_lead_to_a_file_that_make_docs_copies(self):
        copied = re.search(r"^documented = (.*)$", text_of("Makefile"), re.M)[1].split()
        copied = {path for pattern in copied for path in ROOT.glob(pattern)}
        for page in PAGES:
            for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text_of(page)):
                if re.match(r"https?://", link):
                    continue
                path, _, anchor = link.partition("#")
                to = os.path.normpath(ROOT / page / ".." / path) if path else ROOT / page
                to = pathlib.Path(to)
                with self.subTest(page=page, link=link):
                    self.assertTrue(to.is_file(), "no such file")
                    self.assertTrue(copied & {to, *to.parents}, "not copied by make docs")
                    if anchor:
                        self.assertIn(anchor, anchors(to.read_text(encoding="utf-8")))

    def test_files_named_exist(self):
        named = r"`((?:src|include|tests|scripts|bench|cmake|reproduce|python)/[a-z0-9_./]+)`"
        for page in PAGES:
            for path in re.findall(named, text_of(page)):
                wing = re.match(r"(?:src|tests)/wings/(\w+)", path)
                with self.subTest(page=page):
                    self.assertTrue((ROOT / path).exists() or wing and wing[1] not in WINGS, path)


# ---- Commands ---------------------------------------------------------------------------------

# What the commands of a page find in their folder, in place of the reader's files.
LINKED = ["docs", "kernels", "machines", "reproduce", "tests"]
SWEEP = """cat >all.yaml <<END
code: kernels/vecadd.yaml
machine: ecrts2025-orin
set: {mem_latency: 100..400 step 100}
END
"""
PREPARE = {
    "README.md": "cp kernels/cubin/vecadd.sm_87.cubin app",
    "docs/ci.md": SWEEP + """
        mkdir launches && sed s:kernels:../kernels: all.yaml >launches/all.yaml
        cp kernels/cubin/vecadd.sm_86.cubin blur.cubin
        sed 's/^code:.*/code: blur.cubin/' kernels/vecadd.yaml >blur.yaml
        warpbound facts blur.yaml >blur.facts""",
    "docs/gpgpusim.md": """
        cp kernels/vecadd.ptx kernel.ptx
        cp kernels/vecadd.yaml launch.yaml""",
    "docs/launch.md": "cp kernels/cubin/vecadd.sm_87.cubin k.cubin",
    "docs/makespan.md": """
        cp docs/examples/ecrts2012-fig4.conf paper.conf
        echo '{problem: a, warps: ["1:LLC"], units: "L=1,C=4"}' >problem.yaml""",
    "docs/sass-machine.md": "cp kernels/cubin/vecadd.sm_86.cubin code.sm_86.cubin",
    **({"docs/sweep.md": SWEEP + "warpbound sweep docs/examples/latencies.yaml -o baseline.db",
        "docs/sweep-cluster.md": SWEEP + "warpbound sweep all.yaml -o main.db"}
       if "sweep" in WINGS else {}),
}
NAMES = {"CODE.sm_XX.cubin": "kernels/cubin/vecadd.sm_86.cubin", "CODE.ptx": "kernels/vecadd.ptx",
         "LAUNCH.yaml": "kernels/vecadd.yaml", "MACHINE": "rtx-a6000", "MODEL": "ampere-sm80"}

# Programs that may be absent do nothing; `init` is followed by what the reader fills in.
SHELL = """
warpbound() {
    "$WB" "$@" || return
    [ "$1" != init ] || sed "s/^code:.*/code: $2/" kernels/vecadd.yaml >"${4:-${2%.cubin}}.yaml"
}
warpbound-check() { "$CHECKER" "$@"; }
dot() { cat; }
source() { cat; }
parallel() { :; }
nvcc() {
    [ "$1" != -cubin ] || return 0
    sed "s|^code:.*|code: kernels/vecadd.ptx|" kernels/vecadd.yaml >k.yaml
    echo "ptxas info    : Compiling entry function 'vecadd' for 'sm_87'" >&2
    echo "ptxas info    : Used 12 registers, 380 bytes cmem[0]" >&2
}
I=1
set -e
"""

# Lines that need a cluster, a container, a solver or a GPU: other tests have what they do.
ABSENT = ["--slurm", "sbatch ", "docker ", "cbc ", "--read-solution", "warpbound measure ",
          "warpbound record ", "run/launch-1.yaml", "run/sweep.yaml"]
# Commands that take long get a second; status 4 says that this was too short. No ptxas: status 3.
OTHERWISE = {"-w 600": 4, "--iterations 2000000": 4, "kernels/voronoi.ptx": 4,
             "calibrate sm_86 -o": 3, "--deadline 100us": 1}
OF_WING = {"abstract_cta": ["--abstract-warp", "hirvisalo", "triangle-sum-slide.yaml"],
           "device": ["warpbound measure"], "gated_ssa": ["--ssa"], "gpgpusim": ["gpgpusim"],
           "jcse2017": ["--order", "--channels"],
           "makespan": ["warpbound makespan"], "record": ["warpbound record"], "sweep": ["warpbound sweep"],
           "task": ["warpbound task", "task.yaml"]}


CALL = r"^(\$ |sudo |for .* do |parallel .*\n *)?(warpbound|warpbound-check|make) [a-z-]"


def blocks(page):
    """The indented blocks that call make or the command: number of the first line, text."""
    for block in re.finditer(r"(?<=\n\n)(?:    .*\n)+(?:\n+(?:    .*\n)+)*", text_of(page)):
        text = re.sub(r"^    ", "", block[0], flags=re.M)
        if re.search(CALL, text, re.M):
            yield text_of(page).count("\n", 0, block.start()) + 1, text


def is_run(command):
    gone = [words for wing, words in OF_WING.items() if wing not in WINGS]
    return not any(word in command for word in sum(gone, ABSENT))


def adapted(command):
    """A command of a page as the test runs it."""
    for name, stands_for in NAMES.items():
        command = re.sub(rf"(?<![\w.]){re.escape(name)}", stands_for, command)
    for words, status in OTHERWISE.items():
        if words in command:
            limit = " --time-limit 1" if status == 4 else ""
            return re.sub(r"( +#.*)?$", f"{limit} || test $? = {status}", command, count=1)
    return re.sub(r"^(sudo |\w+=\w+ )?make", "make -n", command)


def steps(block):
    """The commands of a block, with what is shown under each; None for a block without prompts."""
    block = block.replace("\\\n", "")
    if "$ " not in block[:2]:
        commands = [line for line in block.split("\n") if line and is_run(line)]
        return [("\n".join(map(adapted, commands)), None)] if commands else []
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [part.split("\n", 1) for part in parts if is_run(part)]


def pattern(shown):
    """What is shown, whose lines may be broken anywhere; "..." stands for any lines."""
    parts = re.split(r"(?<!\S)\.\.\.(?!\S)", shown)
    words = [r"\s+".join(map(re.escape, part.split())) for part in parts]
    return re.compile(r"\A\s*" + r"\s*.*?\s*".join(words) + r"\s*\Z", re.S)


class Commands(unittest.TestCase):
    def shell(self, folder, command):
        environment = {name: value for name, value in os.environ.items() if name[:4] != "MAKE"}
        done = subprocess.run(["bash", "-c", SHELL + command], cwd=folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={**environment, "WB": str(COMMAND), "CHECKER": str(CHECKER)})
        return done.returncode, done.stdout

    def test_commands_within_text_exist_with_their_options(self):
        for page in PAGES:
            for words in re.findall(r"`warpbound (?!help|manual|.*certificate \d)([a-z][^`|]*)",
                                    text_of(page)):
                if not is_run("warpbound " + words):
                    continue
                with self.subTest(page=page, words=words):
                    status, printed = self.shell(ROOT, f"warpbound help {words.split()[0]}")
                    self.assertEqual(status, 0, printed)
                    for option in re.findall(r"(?<=\s)--[a-z-]+", words):
                        self.assertIn(option, printed)

    def test_they_do_what_pages_show(self):
        for page in PAGES:
            if page in RUN_ELSEWHERE:
                continue
            with tempfile.TemporaryDirectory() as folder:
                for name in [*LINKED, "Makefile", "scripts"]:
                    (pathlib.Path(folder) / name).symlink_to(ROOT / name)
                self.assertEqual(self.shell(folder, PREPARE.get(page, "") + "\n")[0], 0, page)
                for line, block in blocks(page):
                    for command, shown in steps(block):
                        with self.subTest(page=page, line=line):
                            status, printed = self.shell(folder, command)
                            if shown is None:
                                self.assertEqual(status, 0, command + "\n" + printed)
                            elif shown.strip():
                                self.assertRegex(printed, pattern(shown))


if __name__ == "__main__":
    unittest.main()
