"""One analysis: `analyze`."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from . import _library
from ._errors import DeclinedError, InputError, LimitError
from ._inputs import ACCEPT, DEADLINE, FACTS, KernelOptions, Launch, LaunchOptions, PathLike, Size
from ._inputs import as_deadline, as_list, as_number, dimensions, is_launch_file, is_yaml, load_inputs, load_machine, make_launch
from ._inputs import read_module, split_options
from ._interrupt import Interruptible
from ._library import REPORT_JSON, Diagnostics, Held, encode
from ._report import Analysis, read_report
from ._stream import Stream, read_stream

SCOPES = {"kernel": 0, "block": 1}
INPUTS = {None: 0, "given": 1, "any": 2}


def compare_code(said: Diagnostics, name: str, subject: tuple, kernel: int, cubin: int | None, launch: int, options) -> None:
    """Holds machine code against the bounds of `subject`, an analysis or a launch of a stream: the code that PTX
    becomes, or code that is analysed itself. A comparison that cannot be made keeps no bound from being printed.
    """
    is_code = said.lib.wb_kernel_registers(kernel) != 0
    if cubin is not None and is_code:
        raise InputError("cubin needs PTX, but the analysed code is machine code")
    if cubin is None and not is_code:
        return
    code = kernel if cubin is None else said.make("wb_module_find_kernel", cubin, said.lib.wb_kernel_name(kernel))
    ignored = (DeclinedError, InputError) if cubin is None else (DeclinedError,)
    with Diagnostics() as unheard:
        try:
            unheard.call(name, *subject, kernel, code, launch, ctypes.byref(options))
        except ignored as error:
            if cubin is not None:
                said.lib.wb_diagnostics_warning(said.handle, b"cubin", f"the machine code is not compared with the bounds: {error}".encode())


def read_cubin(said: Diagnostics, cubin: PathLike | None) -> int | None:
    return None if cubin is None else said.make("wb_module_read_for", encode(cubin), None, b"sm", free="wb_module_free")


def deadline_of(said: Diagnostics, machine: int, deadline: str | None) -> int | None:
    if deadline is None:
        return None
    cycles = ctypes.c_uint64()
    said.call("wb_deadline_cycles", machine, encode(as_deadline(deadline)), out=[ctypes.byref(cycles)])
    return cycles.value


@dataclass
class Asked:
    """What is asked of an analysis, but for the code, the launch and the machine."""

    options: _library.AnalyzeOptions
    deadline: str | None
    accept: str | None  # models, as the option of the command lists them
    interruptible: Interruptible


def report_options(asked: Asked) -> _library.ReportOptions:
    return _library.ReportOptions(
        has_deadline=asked.options.has_deadline, deadline=asked.deadline or 0, scope=asked.options.scope
    )


def read_analysis(said: Diagnostics, analysis: int, held: Held, options: _library.ReportOptions) -> Analysis:
    text = said.text_of("wb_report", analysis, REPORT_JSON, ctypes.byref(options))
    return read_report(json.loads(text), said.messages(), (analysis, held, options.scope))


def finish(said: Diagnostics, status: int, analysis: int | None, asked: Asked) -> Analysis:
    """The report of an analysis, or the exception that it ended with."""
    error = asked.interruptible.error(said, status) if status != _library.OK else None
    partial = isinstance(error, LimitError) and analysis and said.lib.wb_analysis_has_results(analysis)
    if error is not None and not partial:
        raise error
    found = read_analysis(said, analysis, said.hand_over(asked), report_options(asked))
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
    image: str | None = None,
    deadline: str | None = None,
    accept: str | Iterable[str] | None = None,
    scope: str = "kernel",
    states: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    instruction_limit: int | None = None,
    allow_files: bool = False,
) -> Analysis | Stream:
    """Bounds and simulates a kernel, or one block of it, as `warpbound analyze` does; of a file with a list of launches
    all of its kernels, one after another, as a Stream.

    `code` is PTX, a cubin, a program with either, a launch file that names its code, or a block or a grid written by hand; what is left out
    the launch file says. The other arguments are called as the options of the command: `set={"mem_latency": 200}`
    overrides keys of the machine, `arguments={"n": 2048}` single arguments of the launch file, `deadline` is a
    text with a unit, such as "100us" or "4500 cycles". With `accept="ptx-model"` a PTX model may meet it.

    Raises InputError, DeclinedError, or LimitError, whose `analysis` is what was found before the limit.
    """
    place = None if block_index is None else dimensions(block_index, 0)
    if scheme is not None and scope == "block" and place is None:
        raise InputError('scope "block": with a scheme, name the block with block_index')
    limits = (states, time_limit, memory_limit, instruction_limit)
    asked = ask(inputs, place, scheme, methods, policies, deadline, accept, scope, *limits)
    of_launch, of_kernel = split_options(
        LaunchOptions(grid, block, shared, registers, arguments, variables, assume),
        KernelOptions(kernel, ptxas_info, facts, machine, set, cubin, image),
    )
    path = os.fspath(code)
    with Diagnostics() as said:
        if launch is None and scheme is None and is_yaml(path) and not is_launch_file(said, path):
            if os.path.exists(path) and is_anything_said(of_launch, of_kernel):
                raise InputError(f"{path}: a block file takes no kernel, launch or machine")
            return analyze_by_hand(said, path, asked)
        made = make_launch(said, path, launch, allow_files, lists=True)
        if made.launches is not None:
            return analyze_list(said, made, of_launch, of_kernel, asked)
        return analyze_launch(said, made, of_launch, of_kernel, asked)


def is_anything_said(*options) -> bool:
    return any(value for of in options for value in vars(of).values())


def ask(inputs, place, scheme, methods, policies, deadline, accept, scope, *limits) -> Asked:
    """The options of an analysis as the library has them."""
    states, time_limit, memory_limit, instruction_limit = limits
    if inputs not in INPUTS or scope not in SCOPES:
        raise InputError('expected inputs "given" or "any", and scope "kernel" or "block"')
    interruptible = Interruptible(time_limit)
    options = _library.AnalyzeOptions(
        inputs=INPUTS[inputs],
        scheme=encode(scheme),
        methods=encode(as_list(methods)),
        policies=encode(as_list(policies)),
        scope=SCOPES[scope],
        state_limit=0 if states is None else as_number("states", states, 1),
        memory_limit=0 if memory_limit is None else as_number("memory_limit", memory_limit, 1),
        watch=_library.Watch(interruptible.poll, None),
        instruction_limit=0 if instruction_limit is None else as_number("instruction_limit", instruction_limit, 1),
    )
    if place is not None:
        options.one_block, options.block = True, place
    return Asked(options, deadline, as_list(accept), interruptible)


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


def read_asked(said: Diagnostics, machine: int, launch: Launch, asked: Asked) -> None:
    """The deadline and the models that may meet it; the launch file supplies what is left out."""
    if asked.deadline is None:
        asked.deadline = launch.settings[DEADLINE]
    read_deadline(said, machine, asked)
    accepted, names = ctypes.c_uint(), asked.accept or launch.settings[ACCEPT]
    if names is not None:
        said.call("wb_accept_read", encode(names), out=[ctypes.byref(accepted)])
        asked.options.accept = accepted.value


def check_settings(lib, settings: list[bytes], analyses: list[int]) -> None:
    for setting in settings:
        if not any(lib.wb_analysis_reads_setting(analysis, setting) for analysis in analyses):
            raise InputError(f"{os.fsdecode(setting)}: has no effect: none of these methods reads it")


def analyze_launch(said, launch: Launch, of_launch: LaunchOptions, of: KernelOptions, asked: Asked) -> Analysis:
    """Analyses a launch of a kernel on a machine."""
    lib, options, made = said.lib, asked.options, ctypes.c_void_p()
    loaded = load_inputs(said, launch, of_launch, of)
    read_facts(said, of.facts, launch, loaded.kernel, options)
    read_asked(said, loaded.machine, launch, asked)
    given = (loaded.kernel, launch.handle, loaded.machine, ctypes.byref(options))
    status = asked.interruptible.run(lib.wb_analyze, *given, said.handle, ctypes.byref(made))
    if made.value:
        said.keep(made.value, "wb_analysis_free")
        check_settings(lib, of.settings, [made.value])
        cubin = read_cubin(said, of.cubin)
        of_analysis = ("wb_analysis_compare_code", (made.value,))
        compare_code(said, *of_analysis, loaded.kernel, cubin, launch.handle, options)
    return finish(said, status, made.value, asked)


def refuse_options(of_launch: LaunchOptions, of: KernelOptions, options) -> None:
    """What is of one launch does not go with a list."""
    of_one = KernelOptions(of.kernel, of.ptxas_info, of.facts, None, [], None, single=of.single)
    if is_anything_said(of_launch, of_one):
        raise InputError("launch options cannot be combined with a list of launches: change the file")
    if options.one_block or options.scheme or options.scope != SCOPES["kernel"]:
        raise InputError("block_index, scheme and scope are for one launch, not for a list of launches")


def analyze_list(said, launch: Launch, of_launch: LaunchOptions, of: KernelOptions, asked: Asked) -> Stream:
    """Analyses the kernels of a list of launches."""
    lib, made = said.lib, ctypes.c_void_p()
    refuse_options(of_launch, of, asked.options)
    machine = load_machine(said, of.machine, of.settings, launch)
    module = read_module(said, launch, of, machine)
    read_asked(said, machine, launch, asked)
    given = (module, launch.launches, machine, ctypes.byref(asked.options))
    status = asked.interruptible.run(lib.wb_analyze_launches, *given, said.handle, ctypes.byref(made))
    error = asked.interruptible.error(said, status) if status != _library.OK else None
    if not made.value:
        raise error
    stream = said.keep(made.value, "wb_stream_free")
    kernels = [lib.wb_stream_at(stream, index) for index in range(lib.wb_stream_count(stream))]
    check_settings(lib, of.settings, kernels)
    cubin = read_cubin(said, of.cubin)
    for index in range(len(kernels)):
        one = lib.wb_launches_at(launch.launches, index)
        kernel = said.make("wb_module_find_kernel", module, lib.wb_launch_kernel(one))
        compare_code(said, "wb_stream_compare_code", (stream, index), kernel, cubin, one, asked.options)
    found = finish_list(said, stream, kernels, asked)
    if error is not None:
        error.analysis = found
        raise error
    return found



def finish_list(said: Diagnostics, stream: int, kernels: list[int], asked: Asked) -> Stream:
    """The reports of a stream and its kernels."""
    text = said.text_of("wb_stream_report", stream, REPORT_JSON, ctypes.byref(report_options(asked)))
    held = said.hand_over(asked)
    each = tuple(read_analysis(said, kernel, held, _library.ReportOptions()) for kernel in kernels)
    return read_stream(json.loads(text), each, said.messages())


def analyze_by_hand(said, path, asked) -> Analysis:
    """Analyses a block or a grid that a file describes, which stands for itself."""
    analysis = said.make("wb_analysis_read", encode(path), free="wb_analysis_free")
    read_deadline(said, said.lib.wb_analysis_machine(analysis), asked)
    run = said.lib.wb_analysis_run
    status = asked.interruptible.run(run, analysis, ctypes.byref(asked.options), said.handle)
    return finish(said, status, analysis, asked)
