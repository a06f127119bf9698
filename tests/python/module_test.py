"""The Python module: analyses, sweeps and pictures are those of the command, and kinds of numbers are never lost.

usage: module_test.py, in the project's top folder, with WARPBOUND_LIBRARY and WARPBOUND_COMMAND
"""

import contextlib
import io
import json
import os
import pathlib
import pickle
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

sys.path.insert(0, "python")
import warpbound
from warpbound import Kind, _analysis, _library, _plot

COMMAND = os.environ["WARPBOUND_COMMAND"]
MACHINE = "ecrts2025-orin"
WINGS = os.environ["WB_WINGS"].split(",")
HEADERS = [pathlib.Path("include/warpbound.h"), *pathlib.Path("src/wings").glob("sweep/include/*.h")]
of_sweeps = unittest.skipUnless("sweep" in WINGS, "not in this build")


def reported(*arguments):
    """What `warpbound analyze --json` says."""
    run = subprocess.run([COMMAND, "analyze", *arguments, "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)


def join_all(timers):
    """Waits for timers, though these interrupt it."""
    while any(timer.is_alive() for timer in timers):
        with contextlib.suppress(KeyboardInterrupt):
            for timer in timers:
                timer.join()


def signed(certificate):
    """A certificate with the sum of its lines at its end: FNV-1a."""
    lines, total = certificate[: certificate.rindex("end ")], 0xCBF29CE484222325
    for byte in lines.encode():
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return f"{lines}end {total:016x}\n"


class Analyses(unittest.TestCase):
    """An analysis is the report of the command with the same options, byte for byte in its numbers."""

    def check(self, command_line, *words, **options):
        found = warpbound.analyze(*words, **options)
        expected = reported(*command_line)
        for key in ("verdict", "bounds", "simulations", "declined", "grid", "launch", "inputs"):
            self.assertEqual(found.document.get(key), expected.get(key), key)
        return found

    def test_launch_file(self):
        found = self.check(
            ["kernels/reduce.yaml", "-m", MACHINE, "--accept", "ptx-model", "--deadline", "4us"],
            "kernels/reduce.yaml",
            machine=MACHINE,
            deadline="4us",
            accept="ptx-model",
        )
        self.assertEqual(found.verdict.state, "open")
        self.assertIsNone(found.verdict.met)
        self.assertEqual(found.verdict.bound.cycles, found.verdict.deadline - found.verdict.margin)
        self.assertEqual(found.verdict.bound.kind, Kind.UPPER)
        self.assertEqual(found.bounds[0], found.verdict.bound)

    def test_results_in_words(self):
        found = warpbound.analyze(
            "kernels/vecadd.yaml", machine=MACHINE, methods="kernel", policies="lrr", deadline="1us", accept="ptx-model"
        )
        stream = warpbound.analyze("kernels/horner_stream.yaml", machine=MACHINE, methods="kernel", policies="lrr")
        words = f"vecadd on {MACHINE}: open: in the PTX model, kernel at most "
        self.assertTrue(repr(found).startswith(f"<Analysis of {words}"), repr(found))
        self.assertIn("; deadline 930 cycles (1.000 us)>", repr(found))
        self.assertTrue(repr(stream).startswith(f"<Stream of 3 kernels on {MACHINE}: bounded: "), repr(stream))
        for one in (found, stream, found.verdict, found["lrr"], found.schedule("lrr"), found.costs("lrr")):
            self.assertLess(len(repr(one)), 300)
            self.assertNotIn("\n", repr(one))
        for one, least in ((found, len(found.numbers)), (stream, 3), (found.costs("lrr").lines, 1)):
            page = one._repr_html_()
            self.assertGreater(page.count("<tr>"), least)
            self.assertEqual(page.count("<table>"), page.count("</table>"))
        self.assertIn("&lt;b&gt;", warpbound._rows.Rows([{"a": "<b>"}])._repr_html_())

    def test_deadlines_have_units(self):
        for deadline in (100, 0.5):
            for call in (warpbound.analyze, warpbound.sweep):
                with self.assertRaisesRegex(warpbound.InputError, f'{deadline} has no unit: write "{deadline}us" or'):
                    call("kernels/vecadd.yaml", machine=MACHINE, deadline=deadline)

    def test_options_of_a_launch(self):
        self.check(
            [
                "kernels/vecadd.ptx",
                "-l",
                "kernels/vecadd.yaml",
                "-m",
                MACHINE,
                "-g",
                "4",
                "-b",
                "64",
                "--registers",
                "32",
                "--shared",
                "256",
            ]
            + ["--set", "mem_latency=300", "--method", "k-area,sib", "--policy", "gto"],
            "kernels/vecadd.ptx",
            "kernels/vecadd.yaml",
            MACHINE,
            grid=4,
            block=(64, 1),
            registers=32,
            shared=256,
            set={"mem_latency": 300},
            methods=["k-area", "sib"],
            policies="gto",
        )

    def test_launch_without_a_file(self):
        arguments = ["buf:f32[2000]", "buf:f32[2000]", "buf:f32[2000]", "i32:2000"]
        words = [word for argument in arguments for word in ("-a", argument)]
        self.check(
            ["kernels/vecadd.ptx", "-m", MACHINE, "-g", "2", "-b", "1024", *words, "--method", "k-area"],
            pathlib.Path("kernels/vecadd.ptx"),
            machine=MACHINE,
            grid=2,
            block=1024,
            arguments=arguments,
            methods="k-area",
        )

    def test_single_arguments(self):
        file, options = "kernels/vecadd.yaml", {"machine": MACHINE, "methods": "k-area", "policies": "lrr"}
        words = [file, "-m", MACHINE, "-a", "vecadd_param_3=256", "--method", "k-area", "--policy", "lrr"]
        found = self.check(words, file, arguments={"vecadd_param_3": 256}, **options)
        self.assertEqual(found.document["launch"]["arguments"][3], "i32:256")
        with self.assertRaisesRegex(warpbound.InputError, "there is no argument 'n'; there are 1 "):
            warpbound.analyze(file, arguments={"n": 256}, **options)

    @of_sweeps
    def test_single_arguments_of_sweeps(self):
        file, options = "kernels/vecadd.yaml", {"methods": "k-area", "policies": "lrr"}
        found = warpbound.analyze(file, machine=MACHINE, arguments={"vecadd_param_3": 256}, **options)
        results = warpbound.sweep(file, MACHINE, arguments={4: range(256, 513, 256)}, **options)
        bounds = {unit["arguments.4"]: unit["bound"] for unit in results.units}
        self.assertEqual(bounds[256], found.verdict.bound.cycles)
        self.assertLess(bounds[256], bounds[512])
        with self.assertRaisesRegex(warpbound.InputError, "there is no argument 'n'; there are 1 "):
            warpbound.sweep(file, MACHINE, arguments={"n": [1, 2]})

    def test_one_block(self):
        found = self.check(
            ["kernels/reduce.yaml", "-m", MACHINE, "-i", "1", "--scope", "block", "--accept", "ptx-model", "--deadline", "900"],
            "kernels/reduce.yaml",
            machine=MACHINE,
            block_index=1,
            scope="block",
            deadline="900 cycles",
            accept="ptx-model",
        )
        self.assertEqual({number.scope for number in found.numbers}, {"block"})

    def test_all_data(self):
        """Bounds for all data stand beside executions of the given data, and both say so."""
        found = self.check(
            ["kernels/reduce.yaml", "-m", MACHINE, "--inputs", "any"],
            "kernels/reduce.yaml",
            machine=MACHINE,
            inputs="any",
        )
        self.assertEqual({number.data for number in found.bounds}, {"any", "given"})
        self.assertEqual(found.verdict.bound.data, "any")
        self.assertEqual(found["lrr"].data, "given")
        found = warpbound.analyze("kernels/histogram_unknown.yaml", machine=MACHINE)
        self.assertEqual((found.verdict.slowest.data, found["lrr"].data), ("zeros", "zeros"))

    def test_flow_facts_of_a_launch_file(self):
        self.check(
            [
                "kernels/bfs_level.ptx",
                "-l",
                "kernels/bfs_level.yaml",
                "-m",
                MACHINE,
                "--facts",
                "kernels/bfs_level.facts",
                "--method",
                "k-area",
            ],
            "kernels/bfs_level.ptx",
            "kernels/bfs_level.yaml",
            MACHINE,
            facts="kernels/bfs_level.facts",
            methods="k-area",
        )

    def test_what_a_launch_file_says_of_the_machine(self):
        code, options = "vecadd.sm_86.cubin", {"machine": "rtx-a6000", "methods": "kernel"}
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(f"kernels/cubin/{code}", folder)
            alone = pathlib.Path("kernels/vecadd.yaml").read_text(encoding="utf-8").replace("vecadd.ptx", code)
            for name, also in (
                ("promise", "resident: code-l1"),
                ("budget", "interference: {requests: 1000, bytes_per_us: 200}"),
                ("kernel", "partition: {sms: 9, kind: mps}\ninterference: {of: promise.yaml}"),
            ):
                path = str(pathlib.Path(folder, f"{name}.yaml"))
                pathlib.Path(path).write_text(f"{alone}\n{also}\n", encoding="utf-8")
                self.check([path, "-m", "rtx-a6000", "--method", "kernel"], path, **options)
                warpbound.simulate(path, machine="rtx-a6000")

    def test_machine_code_against_its_stall_counts(self):
        found = self.check(
            ["kernels/cubin/vecadd.sm_86.cubin", "-l", "kernels/vecadd.yaml", "-m", "rtx-a6000"],
            "kernels/cubin/vecadd.sm_86.cubin",
            "kernels/vecadd.yaml",
            "rtx-a6000",
        )
        self.assertIsNotNone(found.document["verdict"]["stalls"])

    def test_block_written_by_hand(self):
        block = "docs/examples/ecrts2025-fig2.yaml"
        found = self.check([block], block)
        self.assertEqual(found.verdict.scope, "block")

    def test_a_refuted_machine_proves_nothing(self):
        fast = {"class.compare.latency": 0, "class.fp32.latency": 1}
        sets = [word for key, value in fast.items() for word in ("--set", f"{key}={value}")]
        code, cubin = "kernels/mandelbrot.yaml", "kernels/cubin/mandelbrot.sm_90.cubin"
        found = self.check(
            [
                code,
                "-m",
                "hopper-sm90",
                *sets,
                "--cubin",
                cubin,
                "--method",
                "k-area",
                "--policy",
                "gto",
                "--deadline",
                "1ms",
            ],
            code,
            machine="hopper-sm90",
            set=fast,
            cubin=cubin,
            methods="k-area",
            policies="gto",
            deadline="1ms",
        )
        self.assertEqual((found.verdict.state, found.verdict.bound, found.bounds), ("unproven", None, ()))
        self.assertEqual((found["k-area"].kind, found["k-area"].bound), (Kind.UPPER, None))

    def test_what_a_file_says_by_itself_is_not_overridden(self):
        for option in ({"machine": MACHINE}, {"grid": 4}, {"arguments": ["i32:1"]}, {"set": {"mem_latency": 3}}):
            with self.assertRaisesRegex(warpbound.InputError, "takes no kernel"):
                warpbound.analyze("docs/examples/ecrts2025-fig2.yaml", **option)

    @unittest.skipUnless("abstract_cta" in WINGS, "not in this build")
    def test_settings_without_effect_are_refused(self):
        with self.assertRaisesRegex(warpbound.InputError, "has no effect"):
            warpbound.analyze(
                "kernels/vecadd.yaml", machine=MACHINE, methods="k-area", set={"abstract_cta.header": "n"}
            )

    def test_the_machine_has_to_be_named(self):
        with self.assertRaisesRegex(warpbound.InputError, "no machine"):
            warpbound.analyze("kernels/vecadd.yaml")


class Kinds(unittest.TestCase):
    """A number cannot be taken for what it is not."""

    @classmethod
    def setUpClass(cls):
        cls.found = warpbound.analyze("kernels/reduce.yaml", machine=MACHINE, methods="all", block_index=0)
        cls.published = warpbound.analyze("kernels/reduce.yaml", machine=MACHINE, methods="gub", block_index=0)

    def test_bounds_are_proven(self):
        kinds = {number.kind for number in self.found.numbers}
        self.assertLessEqual({Kind.UPPER, Kind.SIMULATED, Kind.LOWER}, kinds)
        self.assertEqual(self.published["gub"].kind, Kind.ESTIMATE)
        for number in self.found.numbers:
            proven = number.kind in (Kind.UPPER, Kind.EXACT)
            self.assertEqual(number.bound, number.cycles if proven else None)
            self.assertEqual(number.witness is None, number.kind in (Kind.UPPER, Kind.ESTIMATE))
            self.assertEqual(number.estimate is None, number.kind is not Kind.ESTIMATE)
            self.assertEqual(number in self.found.bounds, proven)
            self.assertIn(number.kind.value, str(number))
            self.assertEqual(number.row()["bound"], number.bound)

    def test_estimates_say_why_they_are_no_bounds(self):
        for number in self.published.numbers:
            if number.kind is Kind.ESTIMATE:
                self.assertTrue(number.reason)

    def test_numbers_are_no_ints(self):
        number = self.found.numbers[0]
        for wrong in (
            lambda: number < 5,
            lambda: number + 1,
            lambda: int(number),
            lambda: float(number),
            lambda: max(self.found.numbers),
        ):
            self.assertRaises(TypeError, wrong)
        with self.assertRaises(AttributeError):
            number.kind = Kind.UPPER

    def test_what_has_no_number_says_why(self):
        with self.assertRaisesRegex(KeyError, "no number of exhaustive for the block: left out"):
            self.found["exhaustive"]
        self.assertIsNone(self.found.get("exhaustive"))

    def test_seconds(self):
        number = self.found["sib"]
        self.assertAlmostEqual(number.seconds, number.cycles / 930e6)


class Errors(unittest.TestCase):
    def test_their_messages(self):
        with self.assertRaises(warpbound.InputError) as raised:
            warpbound.analyze("kernels/reduce.yaml", machine="ecrts2025-orn")
        self.assertIn("did you mean 'ecrts2025-orin'?", str(raised.exception))
        self.assertEqual([message.severity for message in raised.exception.messages], ["error"])
        self.assertIsInstance(raised.exception, ValueError)

    def test_places_in_files(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder, "a.ptx")
            broken.write_text(".version 7.0\n.target sm_80\n.entry f( {\n")
            with self.assertRaises(warpbound.InputError) as raised:
                warpbound.analyze(broken, machine=MACHINE)
        self.assertEqual((raised.exception.messages[0].where, raised.exception.messages[0].line), (str(broken), 3))

    def test_what_is_not_known(self):
        with self.assertRaises(warpbound.DeclinedError):
            warpbound.analyze("kernels/bfs_level.ptx", "kernels/bfs_level.yaml", MACHINE, inputs="any")

    def test_values_that_are_none(self):
        file = "kernels/vecadd.yaml"
        for option, text in (
            ({"grid": "4,4"}, "one to three whole numbers"),
            ({"grid": 2.5}, "one to three whole numbers"),
            ({"registers": 2**32 + 32}, "registers: expected a whole number"),
            ({"shared": -1}, "shared: expected a whole number"),
            ({"states": -1}, "states: expected a whole number"),
            ({"memory_limit": 0}, "memory_limit: expected a whole number"),
            ({"methods": []}, "the list is empty"),
            ({"arguments": "i32:5"}, "expected a list of all of them"),
            ({"kernel": "vec\0add"}, "no zero byte"),
        ):
            with self.assertRaisesRegex(warpbound.InputError, text):
                warpbound.analyze(file, machine=MACHINE, **option)
        with self.assertRaisesRegex(warpbound.InputError, "nothing.yaml: error: cannot read"):
            warpbound.analyze("kernels/nothing.yaml", machine=MACHINE)
        with self.assertRaisesRegex(warpbound.InputError, "threads: expected"):
            warpbound.simulate(file, machine=MACHINE, threads=0)

    def test_intervals(self):
        bounds = [
            warpbound.analyze("kernels/vecadd.yaml", machine=MACHINE, methods="k-area", set={"mem_latency": latency})
            for latency in ((100, 400), 400)
        ]
        self.assertEqual(*(found.verdict.bound.cycles for found in bounds))

    def test_limits(self):
        with self.assertRaisesRegex(warpbound.LimitError, "the time limit is reached"):
            warpbound.analyze("kernels/sgemm_tiled.yaml", machine=MACHINE, time_limit=0)

    def test_interrupts(self):
        """Ctrl-C, once or again and again, is a KeyboardInterrupt whenever it comes, and never a limit."""
        for step in range(12):
            timers = [threading.Timer(0.004 * step + again, os.kill, (os.getpid(), signal.SIGINT)) for again in (0, 0.002)]
            with self.assertRaises(KeyboardInterrupt):
                try:
                    for timer in timers:
                        timer.start()
                    while True:
                        warpbound.analyze("kernels/bitonic.yaml", machine=MACHINE, time_limit=60)
                finally:
                    join_all(timers)
        self.assertEqual(threading.active_count(), 1)
        self.assertTrue(warpbound.analyze("kernels/vecadd.yaml", machine=MACHINE).bounds)

    def test_interrupts_while_polled(self):
        """One that comes between the library and what it polls, where it was lost once."""
        script = (
            "import sys, os, signal; sys.path.insert(0, 'python'); import warpbound; from warpbound import _analysis\n"
            "poll = _analysis.Interruptible.goes_on\n"
            "def goes_on(self, *of): os.kill(os.getpid(), signal.SIGINT); return poll(self, *of)\n"
            "_analysis.Interruptible.goes_on = goes_on\n"
            "try: warpbound.analyze('kernels/sgemm_tiled.yaml', machine='ecrts2025-orin')\n"
            "except KeyboardInterrupt: print('interrupted')"
        )
        run = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.stdout, run.stderr), ("interrupted\n", ""))

    def test_no_library(self):
        script = "import sys; sys.path.insert(0, 'python'); import warpbound\ntry: warpbound.version()\nexcept warpbound.LibraryError as e: print(e)"
        for place, text in (("/nowhere/lib.so", "set WARPBOUND_LIBRARY"), ("libm.so.6", "has no function wb_")):
            run = subprocess.run(
                [sys.executable, "-B", "-c", script],
                capture_output=True,
                text=True,
                env={**os.environ, "WARPBOUND_LIBRARY": place},
            )
            self.assertIn(text, run.stdout, run.stderr)


class Lists(unittest.TestCase):
    """Kernels that are launched one after another."""

    FILE = "kernels/horner_stream.yaml"

    def test_as_the_command(self):
        found = warpbound.analyze(self.FILE, machine=MACHINE, methods="k-area", policies="gto", deadline="1ms", accept=["ptx-model"])
        expected = reported(
            self.FILE, "-m", MACHINE, "--method", "k-area", "--policy", "gto", "--deadline", "1ms", "--accept", "ptx-model"
        )
        self.assertEqual(found.document, expected)
        self.assertEqual((found.verdict.state, found.verdict.scope), ("met", "stream"))
        self.assertEqual(found.verdict.bound.cycles, sum(kernel["k-area"].bound for kernel in found.kernels))
        self.assertEqual(len(found.kernels), len(expected["launches"]))
        for kernel, launch in zip(found.kernels, expected["launches"]):
            self.assertEqual(kernel.document["bounds"], launch["bounds"])
            self.assertEqual(kernel.costs().number.cycles, kernel.verdict.bound.cycles)
        self.assertEqual({row["launch"] for row in found.rows()}, set(range(1, len(found.kernels) + 1)))

    def test_what_is_of_one_launch_is_refused(self):
        for option in ({"grid": 4}, {"arguments": {"n": 1}}, {"kernel": "horner"}, {"scope": "block"}, {"block_index": 0}):
            with self.assertRaisesRegex(warpbound.InputError, "a list of launches"):
                warpbound.analyze(self.FILE, machine=MACHINE, **option)
        with self.assertRaisesRegex(warpbound.InputError, "which only analyze takes"):
            warpbound.simulate(self.FILE, machine=MACHINE)


class Behind(unittest.TestCase):
    """What can be asked of an analysis that is there."""

    @classmethod
    def setUpClass(cls):
        cls.words = ["kernels/reduce.yaml", "-m", MACHINE, "--method", "k-area,sib", "--policy", "lrr,gto"]
        cls.found = warpbound.analyze("kernels/reduce.yaml", machine=MACHINE, methods="k-area,sib", policies="lrr,gto")

    def test_costs(self):
        for of in (None, "k-area", "gto"):
            costs = self.found.costs(of)
            words = [*self.words, "--lines", *([] if of is None else ["--of", of])]
            expected = reported(*words)["costs"]
            self.assertEqual((costs.number.name, costs.number.cycles), (expected["of"], expected["cycles"]))
            self.assertEqual(costs.lines.column("cycles"), [row["cycles"] for row in expected["lines"]])
            for table in (costs.lines, costs.functions):
                self.assertEqual(sum(table.column("cycles")), costs.number.cycles)
            row = costs.lines[0]
            self.assertEqual(sum(row[name] for name in row if name.startswith("share_")), row["cycles"])
        self.assertEqual(self.found.costs("k-area").number, self.found["k-area"])
        self.assertIsNone(self.found.costs("gto").number.bound)
        with self.assertRaisesRegex(warpbound.InputError, "no method or policy of this name"):
            self.found.costs("waves")
        self.assertIn("partial", self.found.annotate("k-area"))

    def test_schedules(self):
        schedule = self.found.schedule("gto")
        self.assertEqual((schedule.number.witness, schedule.number.kind), (self.found["gto"].witness, Kind.SIMULATED))
        self.assertEqual((schedule.number.name, schedule.policy), ("gto", "gto"))
        self.assertEqual(schedule.window, (0, None))
        self.assertEqual(max(block["end"] for block in schedule.blocks), schedule.number.cycles)
        for issue in schedule.issues:
            self.assertTrue(issue["issue"] <= issue["start"] <= issue["free"])
        for wait in schedule.waits.where(reason="result"):
            self.assertEqual(schedule.issues[wait["producer"]]["ready"], wait["to"])
        self.assertEqual(self.found.schedule().number.cycles, self.found.verdict.slowest.cycles)
        part = self.found.schedule("gto", window=(100, 200))
        self.assertEqual([i["issue"] for i in part.issues], [i["issue"] for i in schedule.issues if 100 <= i["issue"] < 200])
        for wrong in ((5, 5), (-1, 4), (9, 2), (0, 0)):
            with self.assertRaisesRegex(warpbound.InputError, "the first below the second"):
                self.found.schedule("gto", window=wrong)
        with self.assertRaisesRegex(warpbound.InputError, "unknown name 'gt'"):
            self.found.schedule("gt")

    def test_schedules_as_files(self):
        found = warpbound.analyze("docs/examples/ecrts2025-fig2.yaml", policies="lrr")
        schedule = found.schedule("lrr")
        words = [COMMAND, "simulate", "docs/examples/ecrts2025-fig2.yaml", "--schedule"]
        with tempfile.TemporaryDirectory() as folder:
            for ending, text in ((".txt", "text"), (".json", "trace"), (".svg", "svg")):
                path = pathlib.Path(folder, "schedule" + ending)
                schedule.save(path)
                run = subprocess.run([*words, "--format", text], check=True, capture_output=True, text=True)
                self.assertEqual(path.read_text(), run.stdout)
            with self.assertRaisesRegex(warpbound.InputError, "ends in .txt, .json or .svg"):
                schedule.save(pathlib.Path(folder, "schedule.png"))
        ElementTree.fromstring(schedule.svg())

    def test_certificates(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.txt")
            text = self.found.certificate(path)
            self.assertEqual(path.read_text(), text)
            checked = warpbound.check(path)
            self.assertEqual(checked, warpbound.check(text))
            for file, words in (("kernels/saxpy.ptx", "not of kernels/saxpy.ptx"), ("kernels/reduce.ptx", "another file, too")):
                with self.assertRaisesRegex(warpbound.InputError, words):
                    warpbound.check(path, of=[file])
        self.assertTrue(checked.proven)
        self.assertEqual(len(checked.claims), text.count("\nclaim "))
        bound = self.found["k-area"].bound
        for claimed, proven, note in ((bound - 1, False, f"what can be shown is {bound}"), (bound + 9, True, f"even {bound}")):
            other = warpbound.check(signed(text.replace(f"claim k-area {bound}", f"claim k-area {claimed}")))
            self.assertIn(warpbound.Claim(f"kernel: k-area: at most {claimed} cycles", proven, note), other.claims)
            self.assertEqual(other.proven, proven)
        self.assertIn(warpbound.Claim(f"kernel: k-area: at most {self.found['k-area'].bound} cycles", True), checked.claims)
        with self.assertRaisesRegex(warpbound.InputError, "not a certificate"):
            warpbound.check("kernels/vecadd.ptx")
        with self.assertRaises(warpbound.InputError):
            warpbound.check(text.replace("claim k-area", "claim k-area 1 #", 1))

    def test_what_is_kept_goes_with_the_result(self):
        schedule = warpbound.analyze("kernels/vecadd.yaml", machine=MACHINE, methods="k-area", policies="gto").schedule()
        self.assertIn("gto", schedule.text())  # the analysis is no more
        copy = pickle.loads(pickle.dumps(self.found))
        self.assertEqual((copy, copy["gto"].witness), (self.found, self.found["gto"].witness))
        for ask in (copy.costs, copy.schedule, copy.certificate, copy.annotate):
            with self.assertRaisesRegex(warpbound.InputError, "a copy of a result"):
                ask()


class Simulations(unittest.TestCase):
    def test_as_the_command(self):
        found = warpbound.simulate("kernels/reduce.yaml", machine="jcse2017", schemes=["default", "reorder"], threads=1)
        words = ["kernels/reduce.yaml", "-m", "jcse2017", "--scheme", "default,reorder", "--json"]
        run = subprocess.run([COMMAND, "simulate", *words], check=True, capture_output=True, text=True)
        self.assertEqual(found.document, json.loads(run.stdout))
        self.assertEqual(found.runs.column("scheme"), ["default", "reorder"])
        self.assertEqual({number.kind for number in found.numbers}, {Kind.SIMULATED})
        self.assertEqual([number.bound for number in found.numbers], [None, None])
        self.assertEqual(found["reorder", "lrr"].witness, found.runs[1]["cycles"])
        self.assertEqual(found.slowest.cycles, max(found.runs.column("cycles")))
        with self.assertRaises(KeyError):
            found["gto"]
        schedule = found.schedule("lrr", "reorder", window=(0, 50))
        self.assertEqual((schedule.number.cycles, schedule.scheme), (found["reorder", "lrr"].cycles, "reorder"))

    def test_policies_of_the_machine(self):
        found = warpbound.simulate("kernels/vecadd.yaml", machine=MACHINE, set={"mem_latency": 100}, arguments={4: 512})
        words = ["kernels/vecadd.yaml", "-m", MACHINE, "--set", "mem_latency=100", "-a", "4=512", "--json"]
        run = subprocess.run([COMMAND, "simulate", *words], check=True, capture_output=True, text=True)
        self.assertEqual(found.document, json.loads(run.stdout))

    def test_what_is_wrong(self):
        for words, option, text in (
            ("kernels/vecadd.yaml", {}, "no machine"),
            ("docs/examples/ecrts2025-fig2.yaml", {"machine": MACHINE}, "analyze simulates handwritten blocks"),
            ("kernels/vecadd.yaml", {"machine": MACHINE, "policies": "gt"}, "unknown name 'gt'"),
            ("kernels/vecadd.yaml", {"machine": "jcse2017", "schemes": "reordr"}, "reordr"),
        ):
            with self.assertRaisesRegex(warpbound.InputError, text):
                warpbound.simulate(words, **option)
        with self.assertRaises(warpbound.LimitError):
            warpbound.simulate("kernels/sgemm_tiled.yaml", machine=MACHINE, time_limit=0)

    @of_sweeps
    def test_sweeps_of_them(self):
        found = warpbound.sweep(simulate="kernels/vecadd.yaml", machine="jcse2017", scheme=["default", "reorder"])
        self.assertEqual(found.units.column("status"), ["done"] * 2)
        self.assertEqual(set(found.numbers.column("kind")), {"simulated"})
        if "makespan" in WINGS:
            found = warpbound.sweep(string="LC", string_warps=[2, 3], string_methods=["closed", "exact"])
            self.assertEqual(found.units.column("string_warps"), [2, 3])
        with self.assertRaisesRegex(warpbound.InputError, "the code to analyse"):
            warpbound.sweep(machine=MACHINE)


class Library(unittest.TestCase):
    def test_names(self):
        self.assertIn(MACHINE, warpbound.machines())
        self.assertIn("kernel", warpbound.methods())
        self.assertIn("gto", warpbound.policies())
        self.assertIn(
            warpbound.version(), subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout
        )

    def test_structs_are_those_of_the_header(self):
        """Compiled with the C compiler that there is."""
        header = {
            "AnalyzeOptions": "wb_analyze_options",
            "GridOptions": "wb_grid_options",
            "RawBlock": "wb_block_time",
            "RawIssue": "wb_issue",
            "RawMessage": "wb_message",
            "RawWait": "wb_wait",
            "ScheduleInfo": "wb_schedule_info",
            "ScheduleOptions": "wb_schedule_options",
        }
        lines = ["#include <stddef.h>", "#include <stdio.h>", *(f'#include "{path.name}"' for path in HEADERS)]
        lines.append("int main(void) {")
        if "sweep" in WINGS:
            header["PlotOptions"] = "wb_plot_options"
        fields = []
        for mirror, name in [*header.items(), ("ReportOptions", "wb_report_options")]:
            for field, _ in getattr(_library, mirror)._fields_:
                fields.append(getattr(getattr(_library, mirror), field).offset)
                lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "offsets.c")
            source.write_text("\n".join([*lines, "}"]))
            try:
                subprocess.run(["cc", *(f"-I{path.parent}" for path in HEADERS), source, "-o", source.with_suffix("")], check=True)
            except FileNotFoundError:
                self.skipTest("no C compiler")
            printed = [
                int(line)
                for line in subprocess.run([source.with_suffix("")], check=True, capture_output=True).stdout.split()
            ]
        self.assertEqual(printed, fields)

    def test_functions_are_those_of_the_header(self):
        header = re.sub(r"/\*.*?\*/", "", "".join(path.read_text() for path in HEADERS), flags=re.DOTALL)
        prototypes = {**_library.PROTOTYPES, **(_library.OF_SWEEPS if "sweep" in WINGS else {})}
        for name, (_, *arguments) in prototypes.items():
            found = re.search(rf"\b{name}\(([^;]*)\);", header)
            self.assertIsNotNone(found, name)
            parameters = re.sub(r"\([^()]*\)", "", found.group(1).replace("(*", "(")).split(",")
            count = 0 if found.group(1).strip() == "void" else len(parameters)
            self.assertEqual(count, len(arguments), name)

    def test_reasons_of_waits(self):
        names = [_library.decode(_library.library().wb_wait_name(reason)) for reason in range(8)]
        self.assertEqual((names[0], names[6], names[7]), ("barrier", "end", None))

    def test_version_of_the_package(self):
        project = pathlib.Path("python/pyproject.toml").read_text()
        self.assertIn(f'version = "{warpbound.version()}"', project)


@of_sweeps
class Sweeps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.database = pathlib.Path(cls.folder.name, "results.db")
        cls.options = {
            "set": {"mem_latency": [100, 200, 400]},
            "methods": ["k-area", "k-serial", "gub"],
            "policies": "lrr",
            "deadline": "5000 cycles",
            "jobs": 2,
        }
        code = ["kernels/vecadd.yaml", pathlib.Path("kernels/reduce.yaml")]
        cls.results = warpbound.sweep(code, MACHINE, database=cls.database, **cls.options)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_row_for_each_unit(self):
        self.assertEqual(len(self.results), 6)
        self.assertEqual(
            self.results.units.where(code=os.path.abspath("kernels/vecadd.yaml")).column("mem_latency"), [100, 200, 400]
        )
        for unit in self.results.units:
            self.assertEqual(unit["status"], "done")
            found = warpbound.analyze(
                unit["code"],
                machine=MACHINE,
                set={"mem_latency": unit["mem_latency"]},
                **{key: self.options[key] for key in ("methods", "policies", "deadline")},
            )
            self.assertEqual(unit["bound"], found.verdict.bound.cycles)
            self.assertEqual(unit["slowest"], found.verdict.slowest.cycles)
            self.assertEqual(unit["state"], found.verdict.state)

    def test_kinds_are_kept(self):
        rows = self.results.numbers
        self.assertEqual({row["kind"] for row in rows.where(name="kernel")}, {"upper"})
        self.assertTrue(all(row["bound"] == row["cycles"] for row in rows.where(name="kernel")))
        for row in rows:
            self.assertEqual(row["bound"] is None, row["kind"] not in ("upper", "exact"))
            self.assertEqual(row["witness"] is None, row["kind"] not in ("lower", "exact", "simulated"))

    def test_they_can_be_read_again(self):
        again = warpbound.results(self.database)
        self.assertEqual((again.units, again.numbers), (self.results.units, self.results.numbers))

    def test_without_a_database_nothing_stays(self):
        found = warpbound.sweep("kernels/vecadd.yaml", MACHINE, methods="k-area", policies="lrr")
        folder = found.database.parent
        self.assertTrue(found.database.exists())
        del found
        self.assertFalse(folder.exists())

    def test_lists_of_arguments(self):
        arguments = [["buf:f32[1024]"] * 3 + [f"i32:{count}"] for count in (0, 1024)]
        options = {"grid": 4, "block": 256, "methods": "k-area", "policies": "lrr"}
        expected = {}
        for given in arguments:
            alone = warpbound.analyze("kernels/vecadd.ptx", machine=MACHINE, arguments=given, **options)
            expected[" ".join(given)] = alone.verdict.bound.cycles
        self.assertEqual(len(set(expected.values())), 2)
        found = warpbound.sweep("kernels/vecadd.ptx", MACHINE, arguments=arguments, **options)
        self.assertEqual({unit["arguments"]: unit["bound"] for unit in found.units}, expected)
        found = warpbound.sweep("kernels/vecadd.ptx", MACHINE, arguments=arguments[0], **options)
        self.assertEqual(found.units.column("arguments"), [" ".join(arguments[0])])

    def test_names_of_any_characters(self):
        names = ("größe", "核", "\U0001f680", "quo\"te\\")
        with tempfile.TemporaryDirectory() as folder:
            code = [shutil.copy("kernels/vecadd.ptx", f"{folder}/{name}.ptx") for name in names]
            found = warpbound.sweep(code, MACHINE, launch="kernels/vecadd.yaml", methods="k-area", policies="lrr")
        self.assertEqual(found.units.column("status"), ["done"] * len(names))
        self.assertEqual(set(found.units.column("code")), set(code))
        for name in ("li\u2028ne", "ne\x85xt", "mar\ufeffk", "de\x7fl"):
            with self.assertRaises(warpbound.InputError):
                warpbound.sweep(f"{name}.ptx", MACHINE, launch="kernels/vecadd.yaml", methods="k-area")

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(warpbound.InputError, r"^arguments.4: the list is empty$"):
            warpbound.sweep("kernels/vecadd.yaml", MACHINE, arguments={4: []})
        with self.assertRaisesRegex(warpbound.InputError, "nothing.yaml"):
            warpbound.sweep("kernels/nothing.yaml", MACHINE)
        with self.assertRaises(warpbound.InputError):
            warpbound.results("kernels/vecadd.yaml")

    def test_pictures_of_the_library(self):
        picture = self.results.plot("mem_latency", ["kernel", "lrr"], where={"code": "*vecadd*"}, svg=True)
        ElementTree.fromstring(picture)
        self.assertIn("kernel", picture)
        self.assertEqual(picture._repr_svg_(), picture)
        path = pathlib.Path(self.folder.name, "a.svg")
        picture.save(path)
        self.assertEqual(path.read_text(), picture)
        with self.assertRaisesRegex(warpbound.InputError, "no parameter grid: there are code, "):
            self.results.plot("grid")

    def test_without_matplotlib_the_library_draws(self):
        with mock.patch.object(_plot, "matplotlib_pyplot", return_value=None):
            self.assertIsInstance(self.results.plot("mem_latency"), warpbound.Picture)

    def test_lines_say_their_kind(self):
        """What is given to matplotlib, whether it is installed or not."""
        axes = mock.Mock()
        self.results.plot("mem_latency", ["kernel", "lrr", "bound"], where={"code": "*reduce*"}, ax=axes)
        labels = {call.kwargs["label"]: call for call in axes.plot.call_args_list}
        self.assertEqual(set(labels), {"kernel (upper)", "lrr (simulated)", "bound (upper)"})
        self.assertEqual(labels["kernel (upper)"].kwargs["linestyle"], "-")
        self.assertNotEqual(labels["lrr (simulated)"].kwargs["linestyle"], "-")
        self.assertEqual(labels["kernel (upper)"].args[0], [100, 200, 400])

    def test_matplotlib(self):
        if _plot.matplotlib_pyplot() is None:
            self.skipTest("matplotlib is not installed")
        path = pathlib.Path(self.folder.name, "b.svg")
        axes = self.results.plot("mem_latency", ["bound", "slowest"], path=path)
        self.assertEqual(len(axes.get_lines()), 4)
        ElementTree.parse(path)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.results.numbers.to_pandas()
        self.assertEqual(len(frame), len(self.results.numbers))
        self.assertTrue(frame[frame.kind == "simulated"].bound.isna().all())
        self.assertEqual(frame[frame.kind == "upper"].bound.dtype, pandas.Int64Dtype())


class Example(unittest.TestCase):
    @of_sweeps
    def test_it_runs(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            with mock.patch.object(sys, "argv", ["latencies.py", folder]):
                runpy.run_path("python/examples/latencies.py")
            self.assertTrue(pathlib.Path(folder, "reduce.svg").exists())
        self.assertIn("16 units, 16 done", said.getvalue())

    def test_why_so_long(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            with mock.patch.object(sys, "argv", ["why_so_long.py", folder]):
                runpy.run_path("python/examples/why_so_long.py")
            json.loads(pathlib.Path(folder, "reduce.json").read_text())
        self.assertRegex(said.getvalue(), r"for \(int i = blockIdx.x(.|\n)*\nproven \['kernel: ")


if __name__ == "__main__":
    # A shell has the jobs of its background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("MPLBACKEND", "Agg")
    unittest.main(argv=sys.argv[:1])
