"""One analysis: `analyze`."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from . import _library
from ._errors import Error, InputError, LimitError
from ._library import Diagnostics, encode
from ._report import Analysis, read_report

PathLike = Union[str, "os.PathLike[str]"]
Size = Union[int, Sequence[int]]

SCOPES = {"kernel": 0, "block": 1}
INPUTS = {None: 0, "given": 1, "any": 2}
FILES_BELOW, FILES_ANY = 0, 1
CODE, FACTS, PTXAS_INFO, MACHINE, DEADLINE = range(5)  # what a launch file says in place of options
REPORT_JSON = 1
STALLS_BYTES = 4096  # more than a wb_stalls has


class Interruptible:
    """Ends the work of the library at a time limit, and when Ctrl-C is pressed. The work is a thread of its own: Python
    raises KeyboardInterrupt in the main thread alone, where it would be lost between the library and `goes_on`.
    """

    def __init__(self, time_limit: float | None):
        self.end = None if time_limit is None else time.monotonic() + time_limit
        self.interrupted = False
        self.poll = _library.Poll(self.goes_on)

    def goes_on(self, *_) -> bool:
        return not self.interrupted and (self.end is None or time.monotonic() < self.end)

    def run(self, function, *arguments) -> int:
        """The status of a function of the library that polls. What it works on is left when it has ended, not before."""
        worker, interrupt = Worker(function, arguments), None
        thread = threading.Thread(target=worker.work, daemon=True)
        while not worker.ended.is_set():
            try:
                if interrupt is None and thread.ident is None:
                    thread.start()
                if interrupt is not None and worker.cancel():
                    break
                worker.ended.wait()
            except BaseException as error:  # also once more while it is waited for
                self.interrupted, interrupt = True, error
        if interrupt is not None:
            raise interrupt
        if worker.error is not None:
            raise worker.error
        return worker.status


class Worker:
    """A call in a thread, which can be cancelled until it begins."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments
        self.owner: dict[str, str] = {}  # who comes first says whether it begins: setdefault is one step
        self.ended = threading.Event()
        self.status = self.error = None

    def cancel(self) -> bool:
        """Whether it will never begin."""
        return self.owner.setdefault("owner", "caller") == "caller"

    def work(self) -> None:
        try:
            if self.owner.setdefault("owner", "thread") == "thread":
                self.status = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()


def as_list(names: str | Iterable[str] | None) -> str | None:
    """Names as the library takes them, separated by commas."""
    return names if names is None or isinstance(names, str) else ",".join(names)


def dimensions(size: Size, left_out: int = 1) -> ctypes.Array:
    """One to three numbers, and what those that are left out are."""
    numbers = [size] if isinstance(size, int) else list(size)
    if not 1 <= len(numbers) <= 3 or any(not 0 <= number < 2**32 for number in numbers):
        raise InputError(f"{size!r}: expected one to three numbers")
    return _library.Dimensions(*numbers, *[left_out] * (3 - len(numbers)))


@dataclass
class Launch:
    """What is launched, of a launch file and arguments of `analyze`, as the library has it."""

    code: str
    handle: int
    settings: dict[int, str | None]


def code_beside(launch: str) -> str | None:
    """The code beside a launch file, of the same name but for its end."""
    for ending in (".ptx", ".cubin"):
        path = Path(launch).with_suffix(ending)
        if path.exists():
            return str(path)
    return None


def is_yaml(path: str) -> bool:
    return path.endswith((".yaml", ".yml"))


def read_launch_file(said: Diagnostics, code: str | None, path: str, allow_files: bool) -> Launch:
    lib = said.lib
    files = FILES_ANY if allow_files else FILES_BELOW
    launches = said.make("wb_launches_read", encode(path), files, free="wb_launches_free")
    if lib.wb_launches_is_list(launches):
        raise InputError(f"{path}: a list of launches: `warpbound analyze` and `sweep` take those")
    settings = {which: lib.wb_launches_setting(launches, which) for which in range(DEADLINE + 1)}
    settings = {which: None if text is None else os.fsdecode(text) for which, text in settings.items()}
    named = code or settings[CODE] or code_beside(path)
    if named is None:
        raise InputError(f"{path}: it does not say which code it is of: name both, analyze(code, launch=...)")
    if code is not None and settings[CODE] is not None and not same_file(code, settings[CODE]):
        settings[FACTS] = None  # they are of the other code
    return Launch(named, said.keep(lib.wb_launches_take(launches, 0), "wb_launch_free"), settings)


def same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def make_launch(said: Diagnostics, code: str, launch: PathLike | None, allow_files: bool) -> Launch:
    if launch is not None:
        return read_launch_file(said, code, os.fspath(launch), allow_files)
    if is_yaml(code):
        return read_launch_file(said, None, code, allow_files)
    return Launch(code, said.keep(said.lib.wb_launch_new(), "wb_launch_free"), dict.fromkeys(range(DEADLINE + 1)))


def as_settings(values: Mapping[object, object]) -> list[bytes]:
    """KEY=VALUE, of each."""
    texts = {key: str(value).lower() if isinstance(value, bool) else value for key, value in values.items()}
    return [encode(f"{key}={text}") for key, text in texts.items()]


def load_machine(said: Diagnostics, name: str | None, settings: list[bytes]) -> int:
    if name is None:
        raise InputError("no machine: name a preset (warpbound.machines() lists them) or a file, machine=...")
    machine = said.make("wb_machine_load", encode(name), free="wb_machine_free")
    for setting in settings:
        said.call("wb_machine_set", machine, setting)
    said.call("wb_machine_check", machine)
    return machine


def read_registers(said: Diagnostics, launch: Launch, kernel: int, ptxas_info: PathLike | None, by_hand: bool) -> None:
    """Of what ptxas printed, unless machine code says them, or the launch."""
    named = ptxas_info is not None
    file = ptxas_info if named else launch.settings[PTXAS_INFO]
    of_launch = not named and said.lib.wb_launch_registers(launch.handle)
    of_code = not named and said.lib.wb_kernel_registers(kernel)
    if file is not None and not (by_hand or of_launch or of_code):
        said.call("wb_launch_read_ptxas_info", launch.handle, encode(file), kernel)


def find_stalls(said: Diagnostics, kernel: int, code: int, launch: int, machine: int, block) -> ctypes.Array:
    stalls = ctypes.create_string_buffer(STALLS_BYTES)
    said.call("wb_stalls_find", code, launch, block, out=[stalls])
    said.call("wb_stalls_compare", kernel, launch, machine, out=[stalls])
    return stalls


def add_stalls(said, kernel: int, cubin: PathLike | None, launch: int, machine: int, block, analysis: int) -> None:
    """Holds bounds against the stall counts of machine code: of what PTX becomes, or of code that is analysed itself
    and whose data says what it executes.
    """
    is_code = said.lib.wb_kernel_registers(kernel) != 0
    if cubin is not None:
        if is_code:
            raise InputError("cubin goes with PTX: what is analysed is machine code itself")
        module = said.make("wb_module_read", encode(cubin), free="wb_module_free")
        code = said.make("wb_module_find_kernel", module, said.lib.wb_kernel_name(kernel))
        said.lib.wb_analysis_set_stalls(analysis, find_stalls(said, kernel, code, launch, machine, block))
    elif is_code:
        with Diagnostics() as unheard, contextlib.suppress(Error):
            said.lib.wb_analysis_set_stalls(analysis, find_stalls(unheard, kernel, kernel, launch, machine, block))


def deadline_of(said: Diagnostics, machine: int, deadline: int | str | None) -> int | None:
    if deadline is None:
        return None
    cycles = ctypes.c_uint64()
    said.call("wb_deadline_cycles", machine, encode(str(deadline)), out=[ctypes.byref(cycles)])
    return cycles.value


@dataclass
class Asked:
    """What is asked of an analysis, but for the code, the launch and the machine."""

    options: _library.AnalyzeOptions
    deadline: int | str | None
    interruptible: Interruptible


def finish(said: Diagnostics, status: int, analysis: int | None, asked: Asked) -> Analysis:
    """The report of an analysis, or the exception that it ended with."""
    error = said.error(status) if status != _library.OK else None
    partial = isinstance(error, LimitError) and analysis and said.lib.wb_analysis_has_results(analysis)
    if error is not None and not partial:
        raise error
    report = _library.ReportOptions(
        has_deadline=asked.options.has_deadline, deadline=asked.deadline or 0, scope=asked.options.scope
    )
    text = said.text_of("wb_report", analysis, REPORT_JSON, ctypes.byref(report))
    found = read_report(json.loads(text), said.messages())
    if error is not None:
        error.analysis = found
        raise error
    return found


def analyze(
    code: PathLike,
    launch: PathLike | None = None,
    machine: str | PathLike | None = None,
    *,
    kernel: str | None = None,
    grid: Size | None = None,
    block: Size | None = None,
    shared: int | None = None,
    registers: int | None = None,
    ptxas_info: PathLike | None = None,
    arguments: Iterable[str] | Mapping[str | int, object] = (),
    variables: Mapping[str, str] | None = None,
    assume: str | Iterable[str] | None = None,
    set: Mapping[str, object] | None = None,  # as the option of the command is called
    facts: PathLike | None = None,
    inputs: str | None = None,
    block_index: Size | None = None,
    scheme: str | None = None,
    methods: str | Iterable[str] | None = None,
    policies: str | Iterable[str] | None = None,
    cubin: PathLike | None = None,
    deadline: int | str | None = None,
    scope: str = "kernel",
    states: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_files: bool = False,
) -> Analysis:
    """Bounds and simulates a kernel, or one block of it, as `warpbound analyze` does.

    `code` is PTX, a cubin, a launch file that names its code, or a block or a grid written by hand; what is left out
    the launch file says. The other arguments are called as the options of the command: `set={"mem_latency": 200}`
    overrides keys of the machine, `arguments={"n": 2048}` single arguments of the launch file, `deadline` is in cycles, or a text such as "100us".

    Raises InputError, DeclinedError, or LimitError, whose `analysis` is what was found before the limit.
    """
    place = None if block_index is None else dimensions(block_index, 0)
    if scheme is not None and scope == "block" and place is None:
        raise InputError('scope "block": with a scheme only of the block of block_index')
    asked = ask(inputs, place, scheme, methods, policies, deadline, scope, states, time_limit, memory_limit)
    single = arguments if isinstance(arguments, Mapping) else {}
    of_launch = LaunchOptions(grid, block, shared, registers, () if single else tuple(arguments), variables, assume)
    of_kernel = KernelOptions(
        kernel, ptxas_info, facts, machine, as_settings(set or {}), cubin, as_settings(single)
    )
    path = os.fspath(code)
    with Diagnostics() as said:
        if launch is None and scheme is None and is_yaml(path) and not said.lib.wb_is_launch_file(encode(path)):
            if any(value for of in (of_launch, of_kernel) for value in vars(of).values()):
                raise InputError(f"{path}: a block file stands for itself: no kernel, launch or machine with it")
            return analyze_by_hand(said, path, asked)
        made = make_launch(said, path, launch, allow_files)
        set_launch(said, made.handle, of_launch)
        return analyze_launch(said, made, of_kernel, registers is not None, asked)


@dataclass
class LaunchOptions:
    """What is said of a launch beside its file."""

    grid: Size | None
    block: Size | None
    shared: int | None
    registers: int | None
    arguments: tuple[str, ...]
    variables: Mapping[str, str] | None
    assume: str | Iterable[str] | None


@dataclass
class KernelOptions:
    """What is said of the kernel and the machine."""

    kernel: str | None
    ptxas_info: PathLike | None
    facts: PathLike | None
    machine: str | PathLike | None
    settings: list[bytes]
    cubin: PathLike | None
    arguments: list[bytes]  # of the launch: other values for single ones


def ask(inputs, place, scheme, methods, policies, deadline, scope, states, time_limit, memory_limit) -> Asked:
    """The options of an analysis as the library has them."""
    if inputs not in INPUTS or scope not in SCOPES:
        raise InputError('expected inputs "given" or "any", and scope "kernel" or "block"')
    interruptible = Interruptible(time_limit)
    options = _library.AnalyzeOptions(
        inputs=INPUTS[inputs],
        scheme=encode(scheme),
        methods=encode(as_list(methods)),
        policies=encode(as_list(policies)),
        scope=SCOPES[scope],
        state_limit=states or 0,
        memory_limit=memory_limit or 0,
        watch=_library.Watch(interruptible.poll, None),
    )
    if place is not None:
        options.one_block, options.block = True, place
    return Asked(options, deadline, interruptible)


def assumed(lib, names: str | Iterable[str]) -> int:
    """Names as the set of bits that the library has for them."""
    known = {}
    while (name := lib.wb_taken_name_at(len(known))) is not None:
        known[_library.decode(name)] = 1 << len(known)
    bits = 0
    for name in as_list(names).split(","):
        if name not in known and name != "all":
            raise InputError(f"assume {name}: expected {', '.join(known)} or all")
        bits |= sum(known.values()) if name == "all" else known[name]
    return bits


def set_launch(said: Diagnostics, launch: int, of: LaunchOptions) -> None:
    for name, size in (("grid", of.grid), ("block", of.block)):
        if size is not None:
            said.call(f"wb_launch_set_{name}", launch, dimensions(size))
    for name, number in (("shared", of.shared), ("registers", of.registers)):
        if number is not None:
            said.call(f"wb_launch_set_{name}", launch, number)
    if of.assume is not None:
        said.call("wb_launch_assume", launch, assumed(said.lib, of.assume))
    for argument in of.arguments:
        said.call("wb_launch_add_argument", launch, encode(argument))
    for name, contents in (of.variables or {}).items():
        said.call("wb_launch_set_variable", launch, encode(f"{name}={contents}"))


def read_facts(said: Diagnostics, file: PathLike | None, launch: Launch, kernel: int, options) -> None:
    named = file if file is not None else launch.settings[FACTS]
    if named is None:
        return
    options.facts = said.make("wb_facts_read", encode(named), kernel, free="wb_facts_free")
    if file is None and options.inputs == INPUTS[None]:
        options.inputs = INPUTS["given"]  # the launch file says what buffers contain, too


def read_deadline(said: Diagnostics, machine: int, asked: Asked) -> None:
    asked.deadline = deadline_of(said, machine, asked.deadline)
    asked.options.has_deadline = asked.deadline is not None


def check_settings(lib, settings: list[bytes], analysis: int) -> None:
    for setting in settings:
        if not lib.wb_analysis_reads_setting(analysis, setting):
            raise InputError(f"{os.fsdecode(setting)}: has no effect: none of these methods reads it")


def analyze_launch(said: Diagnostics, launch: Launch, of: KernelOptions, by_hand: bool, asked: Asked) -> Analysis:
    """Analyses a launch of a kernel on a machine."""
    lib, options, made = said.lib, asked.options, ctypes.c_void_p()
    module = said.make("wb_module_read", encode(launch.code), free="wb_module_free")
    kernel = said.make("wb_module_find_kernel", module, encode(of.kernel) or lib.wb_launch_kernel(launch.handle))
    for argument in of.arguments:
        said.call("wb_launch_set_argument", launch.handle, kernel, argument)
    read_registers(said, launch, kernel, of.ptxas_info, by_hand)
    read_facts(said, of.facts, launch, kernel, options)
    machine = load_machine(said, of.machine if of.machine is not None else launch.settings[MACHINE], of.settings)
    if asked.deadline is None:
        asked.deadline = launch.settings[DEADLINE]
    read_deadline(said, machine, asked)
    given = (kernel, launch.handle, machine, ctypes.byref(options))
    status = asked.interruptible.run(lib.wb_analyze, *given, said.handle, ctypes.byref(made))
    if made.value:
        said.keep(made.value, "wb_analysis_free")
        check_settings(lib, of.settings, made.value)
        block = options.block if options.one_block else None
        add_stalls(said, kernel, of.cubin, launch.handle, machine, block, made.value)
    return finish(said, status, made.value, asked)


def analyze_by_hand(said, path, asked) -> Analysis:
    """Analyses a block or a grid that a file describes, which stands for itself."""
    analysis = said.make("wb_analysis_read", encode(path), free="wb_analysis_free")
    read_deadline(said, said.lib.wb_analysis_machine(analysis), asked)
    run = said.lib.wb_analysis_run
    status = asked.interruptible.run(run, analysis, ctypes.byref(asked.options), said.handle)
    return finish(said, status, analysis, asked)
