"""Pictures of sweeps."""

from __future__ import annotations

import ctypes
import fnmatch
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import _library
from ._errors import InputError
from ._library import Diagnostics, encode
from ._numbers import Kind

# How numbers of each kind are drawn: what is proven as a full line, and an estimate as none that could be taken for it.
STYLES = {
    Kind.UPPER: {"linestyle": "-", "marker": "o"},
    Kind.EXACT: {"linestyle": "-", "marker": "s"},
    Kind.LOWER: {"linestyle": "--", "marker": "^"},
    Kind.SIMULATED: {"linestyle": "--", "marker": "x"},
    Kind.ESTIMATE: {"linestyle": ":", "marker": None},
}


class Picture(str):
    """A picture as SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike) -> None:
        Path(path).write_text(self, encoding="utf-8")


def plot(
    found,
    x: str,
    of: str | Iterable[str] = ("bound", "slowest"),
    *,
    where: Mapping[str, object] | None = None,
    log: bool = False,
    path: str | os.PathLike | None = None,
    ax=None,
    svg: bool = False,
):
    """Draws numbers of a sweep over a parameter: on `ax`, or as a picture of its own; to `path` where there is one.

    `of` are "bound" (the least proven bound), "slowest" (the slowest execution found), and names of methods and
    policies. `where` picks units, by a value or a pattern such as "*reduce*" of a parameter. Every line says which
    kind of number it is. Returns the axes of matplotlib; where that is not installed, or with `svg`, a Picture.
    """
    names = [of] if isinstance(of, str) else list(of)
    if x not in found.parameters:
        raise InputError(f"no parameter {x}: there are {', '.join(found.parameters)}")
    pyplot = None if svg or ax is not None else matplotlib_pyplot()
    if pyplot is None and ax is None:
        picture = draw_svg(found, x, names, where or {}, log)
        if path is not None:
            picture.save(path)
        return picture
    axes = ax if ax is not None else pyplot.figure().add_subplot()
    draw(axes, found, x, names, where or {}, log)
    if path is not None:
        axes.figure.savefig(path)
    return axes


def matplotlib_pyplot():
    """matplotlib.pyplot, or None."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return None
    return pyplot


# ---- The library's own pictures ------------------------------------------------------------------------


def draw_svg(found, x: str, names: list[str], where: Mapping[str, object], log: bool) -> Picture:
    patterns = [encode(f"{name}={value}") for name, value in where.items()]
    array = (ctypes.c_char_p * max(len(patterns), 1))(*patterns)
    options = _library.PlotOptions(
        x=encode(x), of=encode(",".join(names)), where=array, where_count=len(patterns), log=b"cycles" if log else None
    )
    with Diagnostics() as said:
        opened = said.make("wb_results_open", encode(found.database), False, free="wb_results_free")
        return Picture(said.text_of("wb_results_plot", opened, ctypes.byref(options)))


# ---- matplotlib ----------------------------------------------------------------------------------------


def matches(unit: dict, where: Mapping[str, object]) -> bool:
    return all(fnmatch.fnmatchcase(str(unit.get(name)), str(pattern)) for name, pattern in where.items())


def values_of(found, unit: dict, name: str):
    """Pairs of a kind and cycles of a unit. None for the kind of the slowest execution, of which it is not known."""
    if name == "bound":
        return [(Kind.UPPER, unit["bound"])]
    if name == "slowest":
        return [(None, unit["slowest"])]
    rows = found.numbers.where(unit=unit["unit"], scope=unit["scope"], name=name)
    rows = rows.where(data="any") or rows  # what holds for all data, where there is that
    return [(Kind(row["kind"]), row["cycles"]) for row in rows if row["cycles"] is not None]


def collect_lines(found, x: str, names: list[str], units: list[dict]) -> dict:
    """Points by name, kind, and what else tells units apart."""
    others = [name for name in found.parameters if name != x and len({unit[name] for unit in units}) > 1]
    lines: dict = {}
    for unit in units:
        group = ", ".join(f"{name}={short(unit[name])}" for name in others)
        for name in names:
            for kind, cycles in values_of(found, unit, name):
                if cycles is not None:
                    lines.setdefault((name, kind, group), []).append((unit[x], cycles))
    return lines


def short(value) -> str:
    """A value for a legend: of a path its last part."""
    return os.path.basename(value) if isinstance(value, str) else str(value)


def draw(axes, found, x: str, names: list[str], where: Mapping[str, object], log: bool) -> None:
    lines = collect_lines(found, x, names, [unit for unit in found.units if matches(unit, where)])
    if not lines:
        raise InputError(f"nothing to draw of {', '.join(names)}: no unit has such a number")
    for number, ((name, kind, group), points) in enumerate(lines.items()):
        style = STYLES[kind] if kind is not None else STYLES[Kind.LOWER]
        label = f"{name} ({kind or 'execution'})" + (f", {group}" if group else "")
        if all(isinstance(value, (int, float)) for value, _ in points):
            points = sorted(points)
        across, up = zip(*points)
        across = [short(value) if isinstance(value, str) else value for value in across]
        axes.plot(across, up, color=f"C{number % 10}", label=label, **style)
    axes.set_xlabel(x)
    axes.set_ylabel("cycles")
    if log:
        axes.set_yscale("log")
    axes.legend()
