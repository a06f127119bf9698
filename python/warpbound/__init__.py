"""Bounds on the worst-case execution time of GPU kernels: the Warpbound library for Python.

>>> import warpbound
>>> found = warpbound.analyze("kernels/sgemm_tiled.yaml", machine="ecrts2025-orin", deadline="100us")
>>> found.verdict.state, found.verdict.bound.cycles
('met', 34488)
>>> found["k-area"].kind, found["k-area"].bound, found["gto"].bound
(<Kind.UPPER: 'upper'>, 34488, None)

`analyze` bounds one launch, `sweep` runs many analyses into a table, `plot` draws one. Every number has a kind, and
its `bound` is None unless it is proven. docs/python.md has more.
"""

from ._analysis import analyze
from ._errors import DeclinedError, Error, InputError, LibraryError, LimitError, Message
from ._library import machines, methods, policies, version
from ._numbers import Kind, Number
from ._plot import Picture, plot
from ._report import Analysis, Declined, Verdict
from ._sweep import Results, Rows, results, sweep

__all__ = [
    "Analysis",
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
    "Verdict",
    "analyze",
    "machines",
    "methods",
    "plot",
    "policies",
    "results",
    "sweep",
    "version",
]
