"""Many analyses: `sweep`, and the tables of what they found."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import _library
from ._errors import InputError, LimitError
from ._library import Diagnostics, encode
from ._inputs import as_deadline
from ._numbers import Kind
from ._plot import plot
from ._rows import Rows

JSON_LINES = 3  # of wb_results_format

# Keys of a sweep file whose values are names of files, relative to it.
FILES = ("code", "simulate", "launch", "facts", "ptxas_info", "cubin")


def value_of(text: str) -> int | float | str:
    """A parameter as what it is; everything in a database is a text."""
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d+\.\d+", text) else text


class Results:
    """What the units of a sweep came to. `units` has a row for each, `numbers` one for each number of each unit: its
    `cycles` whatever the `kind`, and `bound`, which is None unless it is proven, and `witness`, None unless an
    execution takes as long.
    """

    def __init__(self, database: Path, units: list[dict]):
        self.database = database
        self.parameters = list(dict.fromkeys(itertools.chain.from_iterable(unit["parameters"] for unit in units)))
        self.units, self.numbers = Rows(), Rows()
        for index, unit in enumerate(units):
            given = unit["parameters"]
            parameters = {name: value_of(given[name]) if name in given else None for name in self.parameters}
            parameters["unit"] = index
            self.units.append({**parameters, **unit_row(unit)})
            self.numbers += [{**parameters, **number_row(number)} for number in unit["numbers"]]

    def __len__(self) -> int:
        return len(self.units)

    def __repr__(self) -> str:
        done = len(self.units.where(status="done"))
        return f"<Results of {len(self)} units, {done} done, {len(self.numbers)} numbers>"

    def plot(self, x: str, of: str | Iterable[str] = ("bound", "slowest"), **options):
        """A picture of numbers over a parameter: warpbound.plot."""
        return plot(self, x, of, **options)


def unit_row(unit: dict) -> dict:
    """What a unit came to. `bound` is the least proven one."""
    verdict = unit["verdict"] or {}
    return {
        "status": unit["status"],
        **{key: verdict.get(key) for key in ("state", "scope", "bound", "method", "slowest", "deadline")},
        "message": unit["message"],
    }


def number_row(number: dict) -> dict:
    """A number, whose kind decides what it is called; where there is none `kind` says why."""
    known = {kind.value: kind for kind in Kind}
    kind, cycles = known.get(number["kind"]), number["cycles"]
    return {
        "scope": number["scope"],
        "data": number["data"],
        "name": number["name"],
        "kind": number["kind"],
        "cycles": cycles,
        "bound": cycles if kind is not None and kind.is_proven else None,
        "witness": cycles if kind is not None and kind.is_execution else None,
        "lower": number["lower"],
        "note": number["note"],
    }


def results(database: str | os.PathLike) -> Results:
    """Reads the database of a sweep."""
    with Diagnostics() as said:
        opened = said.make("wb_results_open", encode(database), False, free="wb_results_free")
        lines = _library.collect(said, "wb_results_report", opened, JSON_LINES, None, 0)
    return Results(Path(database), [json.loads(line) for line in lines.split("\n") if line])


def as_values(value) -> list:
    """A value that stands alone, or several."""
    alone = isinstance(value, (str, bytes, os.PathLike, Mapping)) or not isinstance(value, Iterable)
    return [value] if alone else list(value)


def text_of(value) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):  # a size of several numbers, or several methods
        return ",".join(str(part) for part in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def texts_of(value) -> object:
    return [text_of(part) for part in value] if isinstance(value, (tuple, list)) else text_of(value)


def sweep_file(parameters: Mapping[str, object], set_: Mapping[str, object], methods, policies) -> dict:
    """What a sweep file says (docs/sweep.md); files are named from the folder that is the current one now."""
    document: dict = {}
    for name, value in parameters.items():
        if name == "arguments" and isinstance(value, Mapping):  # single ones, by name
            document[name] = {str(key): [text_of(one) for one in as_values(of)] for key, of in value.items()}
            continue
        is_nested = name == "arguments"  # of which a list is one value, and no text
        values = [texts_of(one) if is_nested else text_of(one) for one in as_values(value)]
        if name == "deadline":
            values = [as_deadline(one) for one in as_values(value)]
        if name in FILES:
            values = [os.path.abspath(one) for one in values]
        if name in ("machine", "string"):
            values = [os.path.abspath(one) if os.path.exists(one) else one for one in values]
        document[name] = values
    if set_:
        document["set"] = {key: [text_of(one) for one in as_values(value)] for key, value in set_.items()}
    for name, value in (("methods", methods), ("policies", policies)):
        if value is not None:
            document[name] = text_of(as_values(value))
    return document


def sweep(
    code=None,
    machine=None,
    *,
    set: Mapping[str, object] | None = None,  # as the option of the command is called
    methods: str | Iterable[str] | None = None,
    policies: str | Iterable[str] | None = None,
    exclude: Iterable[Mapping[str, object]] = (),
    unit_time_limit: float | None = None,
    unit_memory_limit: str | None = None,
    jobs: int | None = None,
    time_limit: float | None = None,
    database: str | os.PathLike | None = None,
    **parameters,
) -> Results:
    """Analyses all combinations of values, each in a process of its own, several at a time, as `warpbound sweep` does.

    `code`, `machine`, the keys of the machine in `set` and further `parameters`, called as the keys of a sweep file
    (kernel, grid, registers, deadline, scope, ...), have one value or several: `set={"mem_latency": range(50, 801, 50)}`.
    A unit computes all `methods` and `policies` together. `simulate` in place of `code` runs executions of the whole GPU,
    `string` makespans of strings, with the keys of these.

    With a `database` the results are kept there, and what it has is not computed again. Raises InputError for what is
    wrong with the sweep, LimitError when `time_limit` ended it; a unit that fails is a row.
    """
    given = {"code": code, "machine": machine, **parameters}
    given = {name: value for name, value in given.items() if value is not None}
    document = sweep_file(given, set or {}, methods, policies)
    limits = {"time_limit": unit_time_limit, "memory_limit": unit_memory_limit}
    document.update({key: value for key, value in limits.items() if value is not None})
    if exclude:
        document["exclude"] = [dict(entry) for entry in exclude]
    folder = tempfile.mkdtemp(prefix="warpbound-")
    kept = Path(folder, "results.db") if database is None else Path(database)
    try:
        run_units(document, Path(folder, "sweep.yaml"), kept, jobs, time_limit)
        found = results(kept)
    except BaseException:
        shutil.rmtree(folder)
        raise
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def as_yaml(document: dict) -> str:
    """JSON is YAML but for its surrogate pairs; of characters as they are YAML refuses some, and some end its lines."""
    return re.sub(r"[^ -~]", lambda match: f"\\U{ord(match[0]):08x}", json.dumps(document, ensure_ascii=False))


def run_units(document: dict, file: Path, database: Path, jobs: int | None, time_limit: float | None) -> None:
    """Has the command run the units of a sweep file."""
    file.write_text(as_yaml(document), encoding="utf-8")
    words = [_library.command(), "sweep", str(file), "-o", str(database)]
    words += ["--jobs", str(jobs)] if jobs is not None else []
    words += ["--time-limit", str(time_limit)] if time_limit is not None else []
    run = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    contradicted = run.returncode == _library.LIMIT and "contradiction: for some units" in run.stderr
    if run.returncode == _library.LIMIT and not contradicted:  # rows have the state 'contradiction'
        raise LimitError(messages_of(run.stderr, file))
    if run.returncode not in (0, 1) and not contradicted:  # 1: a deadline is not proven to be met
        raise InputError(messages_of(run.stderr, file))


def messages_of(text: str, file: Path) -> str:
    """What the command said, without places in a file that nobody has written, and their lines."""
    lines = re.sub(rf"^{re.escape(str(file))}:\d+:\d+: error: (.*)\n  .*\n +\^\n?", r"\1\n", text, flags=re.MULTILINE)
    return lines.strip()
