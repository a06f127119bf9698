"""Certificates: what bounds claim, and whether a program that shares no line with the library proves that, too."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from . import _library
from ._errors import InputError


@dataclass(frozen=True)
class Claim:
    """A claim of a certificate."""

    text: str  # "kernel: k-area: at most 1365 cycles"
    proven: bool
    note: str = ""  # what can be shown, where that is another number


@dataclass(frozen=True)
class Checked:
    """What warpbound-check says of a certificate."""

    proven: bool  # every claim of it
    claims: tuple[Claim, ...]
    output: str
    contradiction: bool = False  # an execution takes longer than what another claim shows: one of them is wrong


def check(certificate: str | os.PathLike, of: Iterable[str | os.PathLike] = ()) -> Checked:
    """Has `warpbound-check` compute every claim of a certificate anew; a path, or the text that `certificate()` returns.

    Raises InputError for what is no certificate, was changed, or is of other files than `of`, if there are any.
    """
    is_text = isinstance(certificate, str) and "\n" in certificate
    files = [os.fspath(file) for file in of]
    words = [_library.command("warpbound-check"), *(["--of", *files] if files else []),
             "/dev/stdin" if is_text else os.fspath(certificate)]
    run = subprocess.run(words, input=certificate if is_text else "", capture_output=True, text=True)
    if run.returncode not in (0, 1, 4):
        raise InputError((run.stderr or run.stdout).strip())
    found = re.findall(r"^((?:block|kernel): .*): (proven|NOT PROVEN)(.*)$", run.stdout, re.MULTILINE)
    claims = tuple(Claim(text, said == "proven", rest.strip(":, ")) for text, said, rest in found)
    return Checked(run.returncode == 0, claims, run.stdout, run.returncode == 4)
