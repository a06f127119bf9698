"""Costs: which lines, loops and functions the cycles of one number are spent on."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._numbers import Kind, Number
from ._rows import Rows


@dataclass(frozen=True)
class Costs:
    """Where the cycles of a bound, an estimate or an execution go. The `cycles` of the rows of each table sum up to the
    number, with the launch overhead.
    """

    number: Number
    lines: Rows = field(repr=False)  # of the source, or of PTX, the costliest first
    loops: Rows = field(repr=False)
    functions: Rows = field(repr=False)
    hints: Rows = field(repr=False)  # what would lower the number, as far as that is certain


def cost_row(entry: dict) -> dict:
    """A row; what its cycles are spent on are columns of their own."""
    row = {key: value for key, value in entry.items() if key != "share"}
    return {**row, **{f"share_{name}": cycles for name, cycles in entry["share"].items()}}


def read_costs(entry: dict, found: Number | None, clock_mhz: float | None) -> Costs:
    number = found or Number(entry["of"], Kind(entry["kind"]), entry["cycles"], entry["scope"], clock_mhz=clock_mhz)
    tables = {name: Rows(cost_row(row) for row in entry[name]) for name in ("lines", "loops", "functions")}
    return Costs(number=number, hints=Rows(entry["hints"]), **tables)
