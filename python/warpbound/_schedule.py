"""Schedules: who issued what, when, in one execution."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import _library
from ._errors import InputError
from ._interrupt import Interruptible
from ._library import Diagnostics, Held, decode
from ._numbers import Kind, Number
from ._plot import Picture
from ._rows import Rows

FORMATS = {".txt": 0, ".json": 1, ".svg": 2}  # by the end of a file's name: wb_schedule_format
SCOPES = ("kernel", "block")
NO_INSTRUCTION, NO_ISSUE, NO_END = 2**32 - 1, ctypes.c_size_t(-1).value, 2**64 - 1


@dataclass(frozen=True)
class Schedule:
    """One execution, of a kernel or a block."""

    number: Number  # how long it takes, and what that says of the worst case
    policy: str  # who issues: a policy, or the choices of a search
    scheme: str | None  # of access to the first level of caches
    window: tuple[int, int | None]  # what is issued in these cycles is kept, the second excluded; None: to the end
    issues: Rows = field(
        repr=False
    )  # instructions: where, in which cycles they are issued, start, free their unit, are ready
    waits: Rows = field(
        repr=False
    )  # what warps wait for in between, of which `producer` is the issue, a row of `issues`
    blocks: Rows = field(repr=False)  # from when a block is in its slot until its last result is there
    library: tuple[int, Held] | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict:
        return {**vars(self), "library": None}

    def text(self, ending: str = ".txt") -> str:
        """As the command writes it: a table, or with ".json" Chrome trace events, which Perfetto opens."""
        with Diagnostics() as said:
            return _library.collect(said, "wb_schedule_write", handle_of(self.library), FORMATS[ending])

    def svg(self) -> Picture:
        """A picture of a block, which has room for some hundred instructions."""
        return Picture(self.text(".svg"))

    def save(self, path: str | os.PathLike) -> None:
        """Writes it as what the file's name ends with: .txt, .json (for Perfetto) or .svg."""
        ending = Path(path).suffix
        if ending not in FORMATS:
            raise InputError(f"{os.fspath(path)}: expected a name that ends in .txt, .json or .svg")
        Path(path).write_text(self.text(ending), encoding="utf-8")


def handle_of(library: tuple[int, Held] | None) -> int:
    """What the library has; copies of a result that were pickled have nothing of it."""
    if library is None:
        raise InputError("this is a copy of a result, without what the library had: analyse anew")
    return library[0]


def rows_of(schedule: int, lib, name: str) -> list:
    count = ctypes.c_size_t()
    return getattr(lib, name)(schedule, ctypes.byref(count))[: count.value]


def as_row(raw: ctypes.Structure) -> dict:
    return {name: getattr(raw, name) for name, *_ in raw._fields_}


def issue_row(raw, units: dict[int, str]) -> dict:
    return {**as_row(raw), "unit": units[raw.unit]}


def wait_row(raw, reasons: list[str]) -> dict:
    row = {**as_row(raw), "reason": reasons[raw.reason]}
    row["instruction"] = None if raw.instruction == NO_INSTRUCTION else raw.instruction
    row["producer"] = None if raw.producer == NO_ISSUE else raw.producer
    return row


def schedule_options(window: Sequence[int | None] | None, interruptible: Interruptible) -> _library.ScheduleOptions:
    start, end = window if window is not None else (0, None)
    if not 0 <= (start or 0) < (NO_END if end is None else end) <= NO_END:
        raise InputError(f"window {window!r}: expected two numbers of cycles, the first below the second, or None")
    options = _library.ScheduleOptions(watch=_library.Watch(interruptible.poll, None))
    setattr(options, "from", start or 0)
    options.until = end or 0
    return options


def make_schedule(held: Held, clock_mhz: float | None, window, time_limit: float | None, name: str, *given) -> Schedule:
    """Calls a function that makes a schedule of what is given."""
    made, interruptible = ctypes.c_void_p(), Interruptible(time_limit)
    options = schedule_options(window, interruptible)
    with Diagnostics() as said:
        function = getattr(said.lib, name)
        status = interruptible.run(function, *given, ctypes.byref(options), said.handle, ctypes.byref(made))
        if status != _library.OK:
            raise interruptible.error(said, status)
        said.keep(made.value, "wb_schedule_free")
        return read_schedule(said, made.value, held, clock_mhz)


def read_schedule(said: Diagnostics, schedule: int, held: Held, clock_mhz: float | None) -> Schedule:
    lib = said.lib
    info = lib.wb_schedule_describe(schedule).contents
    issues = rows_of(schedule, lib, "wb_schedule_issues")
    units = {unit: decode(lib.wb_schedule_unit(schedule, unit)) for unit in {raw.unit for raw in issues}}
    reasons = [decode(lib.wb_wait_name(reason)) for reason in range(7)]
    name = decode(info.method) or decode(info.policy)
    kind = Kind(decode(lib.wb_kind_name(info.kind)))
    return Schedule(
        number=Number(name, kind, info.cycles, SCOPES[info.scope], clock_mhz=clock_mhz),
        policy=decode(info.policy),
        scheme=decode(info.scheme),
        window=(info.kept_from, None if info.kept_until == NO_END else info.kept_until),
        issues=Rows(issue_row(raw, units) for raw in issues),
        waits=Rows(wait_row(raw, reasons) for raw in rows_of(schedule, lib, "wb_schedule_waits")),
        blocks=Rows(as_row(raw) for raw in rows_of(schedule, lib, "wb_schedule_blocks")),
        library=(schedule, said.hand_over(held)),
    )
