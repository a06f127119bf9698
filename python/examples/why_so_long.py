"""Why does a kernel take so long, and who says so? A notebook as a script: each `# %%` begins a cell.

usage: why_so_long.py [FOLDER], in the project's top folder; files go to FOLDER (here unless given)
"""

import sys
from pathlib import Path

import warpbound

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# %% A bound, and the slowest execution that was found
found = warpbound.analyze(
    "kernels/reduce.yaml", machine="ecrts2025-orin", methods=["sib", "kernel"], policies=["lrr", "gto"]
)
print(f"at most {found.verdict.bound}, found {found.verdict.slowest}")

# %% The lines that the bound is spent on: their cycles sum up to it
costs = found.costs()
for line in costs.lines[:3]:
    print(
        f"{line['cycles']:6} {line['cycles'] / costs.number.cycles:4.0%} line {line['source_line']}: {line['text'] or line['about']}"
    )

# %% The same of an execution: what its warps waited for
schedule = found.schedule("gto")
waited = {}
for wait in schedule.waits:
    waited[wait["reason"]] = waited.get(wait["reason"], 0) + wait["to"] - wait["from"]
print(f"{len(schedule.issues)} instructions in {schedule.number.cycles} cycles, of warps' time:", waited)
schedule.save(folder / "reduce.json")  # https://ui.perfetto.dev opens it

# %% A longer latency of memory, and a size: single arguments by their names or places
for elements in (256, 512, 1024):
    shorter = warpbound.analyze(
        "kernels/vecadd.yaml", machine="ecrts2025-orin", arguments={4: elements}, methods="kernel"
    )
    print(elements, shorter.verdict.bound)

# %% All SMs with their caches: hits, misses, what was waited for
simulated = warpbound.simulate(
    "kernels/reduce.yaml", machine="jcse2017", schemes=["default", "reorder"], policies="lrr"
)
for run in simulated.runs:
    print(run["scheme"], run["policy"], run["cycles"], f"{run['hits']} hits, {run['misses']} misses")

# %% Kernels that run one after another
stream = warpbound.analyze("kernels/horner_stream.yaml", machine="ecrts2025-orin", methods="kernel", policies="gto")
print([kernel.verdict.bound.cycles for kernel in stream.kernels], "together", stream.verdict.bound.cycles)

# %% Who says so: a certificate, and a program without a line of the library that computes every claim anew
checked = warpbound.check(found.certificate(folder / "reduce.cert"))
print("proven" if checked.proven else "not proven", [claim.text for claim in checked.claims])
