"""What an analysis found, as its report says it."""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from . import _library
from ._costs import Costs, read_costs
from ._errors import DeclinedError, Message
from ._library import Diagnostics, Held, encode, method_of
from ._numbers import Kind, Number, in_words
from ._rows import html_table
from ._schedule import Schedule, handle_of, make_schedule


@dataclass(frozen=True, repr=False)
class Verdict:
    """What is proven of what was asked about."""

    state: str  # "bounded", "met", "missed", "open", "block-only", "unproven", "model-only", "contradiction"
    scope: str  # what all of it is about: "kernel", "block"
    bound: Number | None  # the least proven bound, with the launch overhead; None: nothing is proven
    slowest: Number | None  # the slowest execution that was found
    deadline: int | None  # in cycles
    margin: int | None  # deadline - bound
    model: str | None = None  # "ptx", "ptx-classes": the numbers are of a PTX model, not of the code that runs
    contradiction: dict | None = None  # an execution above what is proven: one of the two is wrong

    @property
    def met(self) -> bool | None:
        """True: a proven bound is within the deadline, of the code that runs or of a model that was accepted. False: an
        execution is not. None: neither, or no deadline.
        """
        return {"met": True, "missed": False}.get(self.state)

    def __str__(self) -> str:
        known = self.bound or self.slowest
        time = lambda cycles: in_words(cycles, known and known.clock_mhz)  # noqa: E731
        parts = ["nothing is proven" if self.bound is None else f"{self.scope} at most {time(self.bound.cycles)}, by {self.bound.name}"]
        if self.slowest is not None:
            parts.append(f"slowest found {time(self.slowest.cycles)}, {self.slowest.name}")
        if self.deadline is not None:
            parts.append(f"deadline {time(self.deadline)}")
        return f"{self.state}: {'in the PTX model, ' if self.model else ''}{'; '.join(parts)}"

    def __repr__(self) -> str:
        return f"<Verdict {self}>"


def html_of(title: str, rows: list[dict]) -> str:
    """A result for a notebook: what it says, and its numbers."""
    columns = ("launch", "scope", "data", "name", "kind", "cycles", "seconds")
    return f"<p><b>{escape(title)}</b></p>" + html_table([{key: row[key] for key in columns if key in row} for row in rows])


@dataclass(frozen=True)
class Declined:
    """A method or a policy without a number."""

    name: str
    status: str  # "declined", "limit", "left out"
    reason: str
    scope: str


@dataclass(frozen=True, repr=False)
class Analysis:
    """What an analysis found."""

    verdict: Verdict
    numbers: tuple[Number, ...]  # of all kinds, of the kernel and of its longest block
    declined: tuple[Declined, ...]
    messages: tuple[Message, ...]  # warnings and notes
    document: dict = field(repr=False)  # all of it, as `warpbound analyze --json` prints it (docs/json.md)
    library: tuple[int, Held, int] | None = field(default=None, repr=False, compare=False)  # with the scope of reports

    def __getstate__(self) -> dict:
        return {**vars(self), "library": None}

    def __str__(self) -> str:
        return f"{self.document.get('kernel') or 'by hand'} on {self.document['machine']['name']}: {self.verdict}"

    def __repr__(self) -> str:
        return f"<Analysis of {self}>"

    def _repr_html_(self) -> str:
        return html_of(str(self), self.rows())

    @property
    def bounds(self) -> tuple[Number, ...]:
        """The proven bounds of what the verdict is about, least first."""
        found = [n for n in self.numbers if n.bound is not None and n.scope == self.verdict.scope]
        return tuple(sorted(found, key=lambda n: n.cycles))

    @property
    def executions(self) -> tuple[Number, ...]:
        """The executions of it that were found or simulated, slowest first."""
        found = [n for n in self.numbers if n.witness is not None and n.scope == self.verdict.scope]
        return tuple(sorted(found, key=lambda n: -n.cycles))

    def get(self, name: str, scope: str | None = None, data: str | None = None) -> Number | None:
        """The number of a method or a policy, or None. Of what the verdict is about unless `scope` says otherwise; for
        all data, where covering paths were analysed, unless `data` is "given".
        """
        for number in self.numbers:
            if number.name in (name, method_of(name)) and number.scope == (scope or self.verdict.scope) and data in (None, number.data):
                return number
        return None

    def __getitem__(self, name: str) -> Number:
        number = self.get(name)
        if number is not None:
            return number
        reasons = [f": {d.status}: {d.reason}" for d in self.declined if d.name == method_of(name)]
        raise KeyError(f"no number of {name} for the {self.verdict.scope}{reasons[0] if reasons else ''}")

    def rows(self) -> list[dict]:
        """A row for each number."""
        return [number.row() for number in self.numbers]

    def costs(self, of: str | None = None, source: str | os.PathLike | None = None) -> Costs:
        """Which lines, loops and functions the cycles of a number are spent on: of the least proven bound, or of what
        the method or policy `of` found. `source` is a folder with the sources, if they are not where the code says.
        Raises DeclinedError where the cycles of the number are not attributed.
        """
        clock = self.document["machine"].get("clock_mhz") or None
        with Diagnostics() as said:
            report = self.report_options(lines=1, lines_of=encode(of), source=encode(source))
            text = said.text_of("wb_report", handle_of(self.library), _library.REPORT_JSON, ctypes.byref(report))
            entry = json.loads(text)["costs"]
            if entry is None:
                raise DeclinedError("the cycles of no number that was computed are attributed", said.messages())
        return read_costs(entry, self.get(entry["of"], entry["scope"]), clock)

    def annotate(self, of: str | None = None, source: str | os.PathLike | None = None) -> str:
        """The source, or the code where there is none, with the cycles of each line in front; as `costs`."""
        with Diagnostics() as said:
            report = self.report_options(lines_of=encode(of), source=encode(source))
            return said.text_of("wb_annotate", handle_of(self.library), ctypes.byref(report))

    def report_options(self, **values) -> _library.ReportOptions:
        return _library.ReportOptions(scope=self.library[2] if self.library is not None else 0, **values)

    def schedule(
        self,
        policy: str | None = None,
        *,
        window: tuple[int | None, int | None] | None = None,
        time_limit: float | None = None,
    ) -> Schedule:
        """Who issued what, when: under a policy, or in the longest execution that was found. Simulated anew; `window`
        keeps what is issued in these cycles, the second excluded.
        """
        name = "wb_schedule_worst" if policy is None else "wb_schedule_simulate"
        given = (handle_of(self.library), *([] if policy is None else [encode(policy)]))
        clock = self.document["machine"].get("clock_mhz") or None
        return make_schedule(self.library[1], clock, window, time_limit, name, *given)

    def certificate(self, path: str | os.PathLike | None = None) -> str:
        """What the bounds claim, with all that they are computed from, for warpbound.check and the program
        warpbound-check; also to the file `path`. Raises DeclinedError where there is none (docs/certificates.md).
        """
        with Diagnostics() as said:
            text = _library.collect(said, "wb_analysis_certificate", handle_of(self.library))
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text


@dataclass(frozen=True)
class Context:
    """What all numbers of a part of a report have in common."""

    scope: str
    data: str
    clock_mhz: float | None
    refuted: bool


def read_bound(entry: dict, of: Context) -> Number:
    return Number(
        name=entry["method"],
        kind=Kind(entry["kind"]),
        cycles=entry["cycles"],
        lower=entry["lower"],
        reason=entry.get("reason"),
        assumptions=tuple(zip(entry["assumption_ids"], entry["assumptions"])),
        parts=tuple((part["unit"] or part["what"], part["cycles"]) for part in entry.get("parts", ())),
        **vars(of),
    )


def read_simulation(entry: dict, of: Context) -> Number:
    assumptions = tuple(zip(entry.get("assumption_ids", ()), entry.get("assumptions", ())))
    return Number(entry["policy"], Kind.SIMULATED, entry["cycles"], assumptions=assumptions, **vars(of))


def read_numbers(part: dict, of: Context) -> list[Number]:
    """Those of a kernel or a block; with covering paths, which are for any data, those of the given data behind."""
    found = [read_bound(entry, of) for entry in part.get("bounds", ())]
    found += [read_simulation(entry, of) for entry in part.get("simulations", ())]
    if part.get("given"):
        found += read_numbers(part["given"], replace(of, data="zeros" if part["given"]["zeros"] else "given"))
    return found


def of_verdict(name: str, kind: str, cycles: int, numbers: list[Number], of: Context) -> Number:
    """A number of the verdict: that of the same name and kind, with the launch overhead of the machine."""
    for number in numbers:
        if (number.name, number.kind.value, number.scope, number.data) == (name, kind, of.scope, of.data):
            return replace(number, cycles=cycles)
    return Number(name, Kind(kind), cycles, **vars(of))


def read_verdict(verdict: dict, numbers: list[Number], of: Context) -> Verdict:
    bound = slowest = None
    if verdict["bound"] is not None:
        bound = of_verdict(verdict["method"], verdict["kind"], verdict["bound"], numbers, of)
    if verdict["slowest"] is not None:
        found = verdict["slowest"]
        data = "zeros" if found["with_zeros"] else "given" if found["with_data"] else of.data
        slowest = of_verdict(found["how"], found["kind"], found["cycles"], numbers, replace(of, data=data))
    return Verdict(
        *(verdict["state"], verdict["scope"], bound, slowest, verdict["deadline"], verdict["margin"]),
        *(verdict["model"], verdict["contradiction"]),
    )


def read_report(document: dict, messages: tuple[Message, ...], library=None) -> Analysis:
    """What `warpbound analyze --json` says, as objects."""
    verdict, launch = document["verdict"], document.get("launch") or {}
    refuted = verdict["refuted"] is not None or verdict["contradiction"] is not None
    data = "any" if launch.get("covering") else "traced" if launch.get("inputs") == "traced" else "given"
    of = Context(verdict["scope"], data, document["machine"].get("clock_mhz") or None, refuted)
    numbers, declined = [], []
    for scope in ("kernel", "block"):
        part = document.get("grid") if scope == "kernel" else document
        if part:
            numbers += read_numbers(part, replace(of, scope=scope))
            declined += [Declined(d["method"], d["status"], d["reason"], scope) for d in part["declined"]]
    return Analysis(read_verdict(verdict, numbers, of), tuple(numbers), tuple(declined), messages, document, library)
