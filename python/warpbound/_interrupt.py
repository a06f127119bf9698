"""Work of the library that Ctrl-C and time limits end."""

from __future__ import annotations

import threading
import time
from ctypes import CFUNCTYPE, c_bool, c_char_p, c_uint64, c_void_p

LIMIT = 4  # of wb_status
Poll = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_uint64, c_uint64)


class Interruptible:
    """Ends the work of the library at a time limit, and when Ctrl-C is pressed. The work is a thread of its own: Python
    raises KeyboardInterrupt in the main thread alone, where it would be lost between the library and `goes_on`.
    """

    def __init__(self, time_limit: float | None):
        self.end = None if time_limit is None else time.monotonic() + time_limit
        self.interrupted = False
        self.poll = Poll(self.goes_on)

    def goes_on(self, *_) -> bool:
        return not self.interrupted and (self.end is None or time.monotonic() < self.end)

    def run(self, function, *arguments) -> int:
        """The status of a function of the library that polls. What it works on is left when it has ended, not before."""
        worker = Worker(function, arguments)
        try:
            threading.Thread(target=worker.work, daemon=True).start()
            worker.ended.wait()
        except BaseException:
            self.interrupted = True
            while not worker.has_left():  # be it interrupted once more
                pass
            raise
        if worker.error is not None:
            raise worker.error
        return worker.status

    def error(self, said, status: int) -> Exception:
        """The exception that a status becomes; where time is up it says so."""
        error = said.error(status)
        if self.end is not None and time.monotonic() >= self.end and status == LIMIT:
            error.args = (f"the time limit is reached (time_limit)\n{error.args[0]}",)
        return error


class Worker:
    """A call in a thread, which can be cancelled until it begins."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments
        self.owner: dict[str, str] = {}  # who comes first says whether it begins: setdefault is one step
        self.ended = threading.Event()
        self.status = self.error = None

    def has_left(self) -> bool:
        """Waits until it has ended, or will never begin; False where it has not."""
        try:
            return self.owner.setdefault("owner", "caller") == "caller" or self.ended.wait()
        except BaseException:
            return False

    def work(self) -> None:
        try:
            if self.owner.setdefault("owner", "thread") == "thread":
                self.status = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()
