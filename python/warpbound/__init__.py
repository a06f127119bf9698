"""Bounds on the worst-case execution time of GPU kernels: the Warpbound library for Python.

>>> import warpbound
>>> found = warpbound.analyze("kernels/sgemm_tiled.yaml", machine="ecrts2025-orin", deadline="100us", accept="ptx-model")
>>> found.verdict.state, found.verdict.bound.cycles
('met', 34488)
>>> found["k-area"].kind, found["k-area"].bound, found["gto"].bound
(<Kind.UPPER: 'upper'>, 34488, None)

`analyze` bounds one launch, `simulate` executes it, `sweep` runs many analyses into a table, `plot` draws one, `check`
judges a certificate. Every number has a kind, and its `bound` is None unless it is proven. docs/python.md has more.
"""

from ._analysis import analyze
from ._certificate import Checked, Claim, check
from ._costs import Costs
from ._errors import DeclinedError, Error, InputError, LibraryError, LimitError, Message
from ._library import machines, methods, policies, schemes, version
from ._numbers import Kind, Number
from ._plot import Picture, plot
from ._report import Analysis, Declined, Verdict
from ._rows import Rows
from ._schedule import Schedule
from ._simulate import Simulation, simulate
from ._stream import Stream
from ._sweep import Results, results, sweep

__all__ = [
    "Analysis",
    "Checked",
    "Claim",
    "Costs",
    "Declined",
    "DeclinedError",
    "Error",
    "InputError",
    "Kind",
    "LibraryError",
    "LimitError",
    "Message",
    "Number",
    "Picture",
    "Results",
    "Rows",
    "Schedule",
    "Simulation",
    "Stream",
    "Verdict",
    "analyze",
    "check",
    "machines",
    "methods",
    "plot",
    "policies",
    "results",
    "schemes",
    "simulate",
    "sweep",
    "version",
]
