"""Simulations of a kernel on a whole GPU: `simulate`."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from . import _library
from ._errors import InputError, LimitError, Message
from ._inputs import KernelOptions, LaunchOptions, PathLike, Size
from ._inputs import as_list, as_number, is_launch_file, is_yaml, load_inputs, make_launch, split_options
from ._interrupt import Interruptible
from ._library import REPORT_JSON, Diagnostics, Held, encode
from ._numbers import Kind, Number
from ._rows import Rows
from ._schedule import Schedule, handle_of, make_schedule


@dataclass(frozen=True)
class Simulation:
    """What executions of a kernel on a whole GPU took: nothing here bounds the worst case."""

    runs: Rows = field(repr=False)  # a row for each scheme and policy: cycles, hits and misses, what was waited for
    numbers: tuple[Number, ...]  # how long each took
    messages: tuple[Message, ...]
    document: dict = field(repr=False)  # all of it, as `warpbound simulate --json` prints it (docs/json.md)
    library: tuple[int, Held] | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict:
        return {**vars(self), "library": None}

    @property
    def slowest(self) -> Number:
        return max(self.numbers, key=lambda number: number.cycles)

    def __getitem__(self, which: str | tuple[str, str]) -> Number:
        """The number of a policy, or of a scheme and a policy."""
        scheme, policy = which if isinstance(which, tuple) else (None, which)
        for run, number in zip(self.runs, self.numbers):
            if number.name == policy and scheme in (None, run["scheme"]):
                return number
        raise KeyError(f"no simulation of {which}")

    def schedule(
        self,
        policy: str | None = None,
        scheme: str | None = None,
        *,
        window: tuple[int | None, int | None] | None = None,
        time_limit: float | None = None,
    ) -> Schedule:
        """Who issued what, when, under a policy; simulated anew. `window` keeps what is issued in these cycles."""
        clock = self.document["machine"].get("clock_mhz") or None
        given = (handle_of(self.library), encode(scheme or self.runs[0]["scheme"]), encode(policy))
        return make_schedule(self.library[1], clock, window, time_limit, "wb_schedule_of_gpu", *given)


def run_row(entry: dict) -> dict:
    """A simulation; cycles that something was waited for are columns of their own."""
    row = {key: value for key, value in entry.items() if key not in ("stalls", "assumptions", "seconds")}
    return {**row, **{f"stalls_{name}": cycles for name, cycles in entry["stalls"].items()}}


def simulate(
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
    image: str | None = None,
    policies: str | Iterable[str] | None = None,
    schemes: str | Iterable[str] | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    instruction_limit: int | None = None,
    allow_files: bool = False,
) -> Simulation:
    """Executes all blocks of a kernel with the data of its launch, and simulates them on all SMs of the machine, under
    each policy and scheme, as `warpbound simulate` does; arguments are those of `analyze`.

    Raises InputError, DeclinedError (nothing that steers the kernel may be unknown), or LimitError, whose `analysis` is
    the Simulation of what was done before the limit.
    """
    of_launch, of_kernel = split_options(
        LaunchOptions(grid, block, shared, registers, arguments, variables, assume),
        KernelOptions(kernel, ptxas_info, None, machine, set, None, image),
    )
    if threads is not None:
        as_number("threads", threads, 1, 1024)
    instructions = 0 if instruction_limit is None else as_number("instruction_limit", instruction_limit, 1)
    limit = 0 if memory_limit is None else as_number("memory_limit", memory_limit, 1)
    interruptible = Interruptible(time_limit)
    watch = _library.Watch(interruptible.poll, None)
    with Diagnostics() as said:
        if launch is None and is_yaml(os.fspath(code)) and not is_launch_file(said, code):
            raise InputError(f"{os.fspath(code)}: not a launch file: analyze simulates handwritten blocks")
        made = make_launch(said, os.fspath(code), launch, allow_files)
        loaded = load_inputs(said, made, of_launch, of_kernel, bounds=False)
        options = _library.GridOptions(
            warp_width=said.lib.wb_machine_warp_width(loaded.machine),
            instruction_limit=instructions,
            memory_limit=limit,
            watch=watch,
        )
        grid_, gpu = ctypes.c_void_p(), None
        trace = (said.lib.wb_grid_trace, loaded.kernel, made.handle, ctypes.byref(options))
        status = interruptible.run(*trace, said.handle, ctypes.byref(grid_))
        if status != _library.OK:
            raise interruptible.error(said, status)
        said.keep(grid_.value, "wb_grid_free")
        gpu = said.make("wb_gpu_new", grid_, loaded.machine, free="wb_gpu_free")
        said.lib.wb_gpu_set_threads(gpu, threads or os.cpu_count() or 1)
        named = as_list(policies)
        if named is None and schemes is None:
            named = _library.decode(said.lib.wb_machine_policies(loaded.machine))
        asked = (encode(as_list(schemes) or "default"), encode(named), ctypes.byref(watch))
        status = interruptible.run(said.lib.wb_gpu_simulate, gpu, *asked, said.handle)
        return finish(said, status, gpu, interruptible, options)


def finish(said: Diagnostics, status: int, gpu: int, interruptible: Interruptible, options) -> Simulation:
    """What was simulated, or the exception that it ended with."""
    error = interruptible.error(said, status) if status != _library.OK else None
    if error is not None and not isinstance(error, LimitError):
        raise error
    text = said.text_of("wb_gpu_report", gpu, REPORT_JSON, None)
    document = json.loads(text)
    clock, entries = document["machine"].get("clock_mhz") or None, document["simulations"]
    found = Simulation(
        Rows(run_row(entry) for entry in entries),
        tuple(Number(entry["policy"], Kind.SIMULATED, entry["cycles"], "kernel", clock_mhz=clock) for entry in entries),
        said.messages(),
        document,
        (gpu, said.hand_over(interruptible, options)),
    )
    if error is not None:
        error.analysis = found if entries else None
        raise error
    return found
