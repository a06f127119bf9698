"""Of what takes turns: half, as the commit chooses (WB_PART); in `make nightly` (WB_ROUNDS=all) all of it."""

import os


def of_turn(cases):
    return cases if os.environ.get("WB_ROUNDS") == "all" else cases[int(os.environ.get("WB_PART", 0)) % 2 :: 2]
