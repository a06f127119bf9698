"""Numbers, and what kind of number each is."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(str, enum.Enum):
    """What a number says of the worst case."""

    EXACT = "exact"  # it is the worst case, found and proven, with latencies exactly as stated
    UPPER = "upper"  # proven not to be exceeded
    LOWER = "lower"  # an execution that takes this long was found
    SIMULATED = "simulated"  # what one policy took
    ESTIMATE = "estimate"  # a formula that is proven by nothing

    def __str__(self) -> str:
        return self.value

    @property
    def is_proven(self) -> bool:
        """Whether nothing takes longer."""
        return self in (Kind.EXACT, Kind.UPPER)

    @property
    def is_execution(self) -> bool:
        """Whether something takes as long."""
        return self in (Kind.EXACT, Kind.LOWER, Kind.SIMULATED)


def in_words(cycles: int, clock_mhz: float | None) -> str:
    """ "34488 cycles (37.084 us)" """
    return f"{cycles} cycles" + (f" ({cycles / clock_mhz:.3f} us)" if clock_mhz else "")


@dataclass(frozen=True, repr=False)
class Number:
    """A number of cycles with its kind. It is no int, and cannot be compared or added like one: say which of its
    properties is meant, of which those that the kind does not allow are None.
    """

    name: str  # of the method or the policy
    kind: Kind
    cycles: int  # whatever the kind
    scope: str  # what it is of: "kernel", all blocks of a launch; "block", one of them alone; "stream"
    data: str = "given"  # for which data: "given", those of the launch; "traced", of one execution; "any"
    clock_mhz: float | None = None
    lower: int = 0  # what the method proves that the worst case takes at least
    reason: str | None = None  # of an estimate: why it is no bound
    assumptions: tuple[tuple[str, str], ...] = ()  # pairs of an id, such as "S1", and a sentence
    parts: tuple[tuple[str, int], ...] = ()  # what the cycles of a bound are spent on
    refuted: bool = False  # machine code, or an execution that was found, takes longer than what is proven

    @property
    def bound(self) -> int | None:
        """Cycles that no execution exceeds; None unless that is proven, of a machine that is not refuted."""
        return self.cycles if self.kind.is_proven and not self.refuted else None

    @property
    def witness(self) -> int | None:
        """Cycles that an execution takes; None unless one is known."""
        return self.cycles if self.kind.is_execution else None

    @property
    def estimate(self) -> int | None:
        """Cycles of a formula that is proven by nothing; None of any other number."""
        return self.cycles if self.kind is Kind.ESTIMATE else None

    @property
    def seconds(self) -> float | None:
        """The cycles at the machine's clock, whatever the kind; None where it states none."""
        return self.cycles / (self.clock_mhz * 1e6) if self.clock_mhz else None

    def __str__(self) -> str:
        return f"{self.name}: {self.kind} {in_words(self.cycles, self.clock_mhz)}"

    def __repr__(self) -> str:
        return f"<Number {self}>"

    def row(self) -> dict:
        """The number as a row of a table."""
        return {
            "scope": self.scope,
            "data": self.data,
            "name": self.name,
            "kind": self.kind.value,
            "cycles": self.cycles,
            "bound": self.bound,
            "witness": self.witness,
            "seconds": self.seconds,
        }
