"""Kernels that are launched one after another."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._errors import Message
from ._numbers import Kind, Number
from ._report import Analysis, Verdict, html_of


@dataclass(frozen=True, repr=False)
class Stream:
    """What an analysis of a list of launches found."""

    verdict: Verdict  # on all of them together
    kernels: tuple[Analysis, ...]  # in the order in which they run
    messages: tuple[Message, ...]
    document: dict = field(repr=False)  # all of it, as `warpbound analyze --json` prints it (docs/json.md)

    def __str__(self) -> str:
        return f"{len(self.kernels)} kernels on {self.document['machine']['name']}: {self.verdict}"

    def __repr__(self) -> str:
        return f"<Stream of {self}>"

    def _repr_html_(self) -> str:
        return html_of(str(self), self.rows())

    def rows(self) -> list[dict]:
        """A row for each number of each kernel; `launch` counts from 1."""
        return [
            {"launch": index + 1, "kernel": kernel.document["kernel"], **row}
            for index, kernel in enumerate(self.kernels)
            for row in kernel.rows()
        ]


def read_stream(document: dict, kernels: tuple[Analysis, ...], messages: tuple[Message, ...]) -> Stream:
    said, clock = document["verdict"], document["machine"].get("clock_mhz") or None
    bound = slowest = None
    if said["bound"] is not None:
        bound = Number("sum", Kind(said["kind"]), said["bound"], "stream", clock_mhz=clock)
    if said["slowest"] is not None:
        found = said["slowest"]
        slowest = Number(found["how"], Kind(found["kind"]), found["cycles"], "stream", clock_mhz=clock)
    verdict = Verdict(
        *(said["state"], "stream", bound, slowest, said["deadline"], said["margin"]),
        *(said["model"], said["contradiction"]),
    )
    return Stream(verdict, kernels, messages, document)
