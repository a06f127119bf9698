"""What goes wrong, with what the library said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """A message of the library, about a place in a file or, where `line` is None, about something else."""

    severity: str  # "error", "warning", "note"
    where: str
    line: int | None
    column: int | None
    text: str

    def __str__(self) -> str:
        place = f"{self.where}:{self.line}:{self.column}" if self.line else self.where
        return f"{place}: {self.severity}: {self.text}"


class LibraryError(Exception):
    """The shared library or the command is not there, or is none of this version."""


class Error(Exception):
    """A call failed. The text is that of all messages; `messages` has them one by one."""

    def __init__(self, text: str, messages: tuple[Message, ...] = ()):
        super().__init__(text)
        self.messages = messages


class InputError(Error, ValueError):
    """A file, a name or a value is wrong."""


class DeclinedError(Error):
    """Something that is needed is not known, or nothing can be said of it; the messages name it."""


class LimitError(Error):
    """A limit of time or memory was reached. `analysis` is what was found before, or None."""

    def __init__(self, text: str, messages: tuple[Message, ...] = (), analysis=None):
        super().__init__(text, messages)
        self.analysis = analysis
