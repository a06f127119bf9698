"""How much of a bound is the latency of memory? A notebook as a script: each `# %%` begins a cell.

usage: latencies.py [FOLDER], in the project's top folder; the pictures go to FOLDER (here unless given)
"""

import sys
from pathlib import Path

import warpbound

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# %% One launch, on one machine
found = warpbound.analyze("kernels/reduce.yaml", machine="ecrts2025-orin", deadline="100us")
print(f"{found.verdict.state}: at most {found.verdict.bound}, found {found.verdict.slowest}")

# %% Every number has a kind, and a bound is there only where it is proven
for number in found.bounds + found.executions:
    print(f"{number.name:14} {number.kind:10} {number.cycles:8} bound {number.bound}, an execution {number.witness}")

# %% What the least proven bound rests on
for identifier, sentence in found.bounds[0].assumptions:
    print(identifier, sentence)

# %% Over the latency of memory: eight latencies, two kernels
results = warpbound.sweep(
    ["kernels/reduce.yaml", "kernels/stencil5.yaml"],
    "ecrts2025-orin",
    set={"mem_latency": range(100, 801, 100)},
    methods=["kernel"],
    policies=["lrr", "gto"],
)
print(results)

# %% The table: the part of the bound that no simulation reaches
for unit in results.units.where(mem_latency=400):
    print(Path(unit["code"]).stem, unit["bound"], unit["slowest"], f"{unit['bound'] / unit['slowest'] - 1:+.1%}")

# %% The same with pandas, where it is installed
try:
    frame = results.numbers.to_pandas()
    print(frame.pivot_table(index="mem_latency", columns=["code", "name"], values="bound").tail(3))
except ImportError:
    print("pandas is not installed")

# %% Pictures: with matplotlib where it is installed, else drawn by the library
picture = results.plot("mem_latency", ["kernel", "lrr"], where={"code": "*reduce*"}, path=folder / "reduce.svg")
print(f"{folder / 'reduce.svg'}: {type(picture).__name__}")
