"""The shared library: where it is, and its functions with their types."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import pathlib
import shutil
import weakref
from ctypes import POINTER, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from ._errors import DeclinedError, Error, InputError, LibraryError, LimitError, Message
from ._interrupt import LIMIT, Interruptible, Poll

# The library that is looked for, and where besides the folders of the system.
NAME = "libwarpbound.so.0"
VARIABLE = "WARPBOUND_LIBRARY"  # the file, or a folder with it
COMMAND_VARIABLE = "WARPBOUND_COMMAND"
FOLDERS = ("/usr/local/lib", "~/.local/lib")

OK, INPUT, DECLINED = 0, 2, 3  # LIMIT is that of _interrupt
REPORT_JSON = 1

Write = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)
NO_POLL = ctypes.cast(None, Poll)


class Watch(ctypes.Structure):
    _fields_ = [("poll", Poll), ("user", c_void_p)]


class Writer(ctypes.Structure):
    _fields_ = [("write", Write), ("user", c_void_p)]


class SizedOptions(ctypes.Structure):
    """A struct of options, which begins with its size: a newer library knows from it what there is."""

    def __init__(self, **values):
        super().__init__(**values)
        self.size = ctypes.sizeof(self)


class AnalyzeOptions(SizedOptions):
    _fields_ = [
        ("size", c_size_t),
        ("inputs", c_int),
        ("facts", c_void_p),
        ("one_block", c_bool),
        ("block", c_uint32 * 3),
        ("scheme", c_char_p),
        ("methods", c_char_p),
        ("policies", c_char_p),
        ("has_deadline", c_bool),
        ("scope", c_int),
        ("record_accesses", c_bool),
        ("allow_unmapped", c_bool),
        ("state_limit", c_uint64),
        ("memory_limit", c_uint64),
        ("watch", Watch),
        ("instruction_limit", c_uint64),
        ("accept", ctypes.c_uint),
    ]


class ReportOptions(SizedOptions):
    _fields_ = [
        ("size", c_size_t),
        ("phases", c_bool),
        ("timing", c_bool),
        ("has_deadline", c_bool),
        ("deadline", c_uint64),
        ("scope", c_int),
        ("unit", c_int),
        ("simulated", c_bool),
        ("width", c_uint32),
        ("color", c_bool),
        ("quiet", c_bool),
        ("all", c_bool),
        ("explain", c_char_p),
        ("lines", c_size_t),
        ("lines_of", c_char_p),
        ("source", c_char_p),
        ("label", c_char_p),
    ]


class GridOptions(SizedOptions):
    _fields_ = [
        ("size", c_size_t),
        ("one_block", c_bool),
        ("block", c_uint32 * 3),
        ("allow_unmapped", c_bool),
        ("warp_width", c_uint32),
        ("cover", c_bool),
        ("unknown_contents", c_bool),
        ("record_accesses", c_bool),
        ("facts", c_void_p),
        ("instruction_limit", c_uint64),
        ("memory_limit", c_uint64),
        ("watch", Watch),
    ]


class ScheduleOptions(SizedOptions):
    _fields_ = [("size", c_size_t), ("from", c_uint64), ("until", c_uint64), ("most", c_uint64), ("watch", Watch)]


class ScheduleInfo(ctypes.Structure):
    _fields_ = [
        ("scope", c_int),
        ("kind", c_int),
        ("method", c_char_p),
        ("policy", c_char_p),
        ("scheme", c_char_p),
        ("warp_count", c_uint32),
        ("sm_count", c_uint32),
        ("slot_count", c_uint32),
        ("cycles", c_uint64),
        ("longest", c_uint64),
        ("longest_by", c_char_p),
        ("issues", c_uint64),
        ("kept_from", c_uint64),
        ("kept_until", c_uint64),
    ]


class RawIssue(ctypes.Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("sm", "slot", "block", "warp", "sub_core", "unit", "instance", "instruction")),
        *((name, c_uint64) for name in ("step", "issue", "start", "free", "ready")),
    ]


class RawWait(ctypes.Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("sm", "slot", "block", "warp")),
        ("reason", c_int),
        ("instruction", c_uint32),
        ("step", c_uint64),
        ("producer", c_size_t),
        ("from", c_uint64),
        ("to", c_uint64),
    ]


class RawBlock(ctypes.Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("sm", "slot", "block")),
        *((name, c_uint64) for name in ("start", "end")),
    ]


class RawMessage(ctypes.Structure):
    _fields_ = [
        ("severity", c_int),
        ("where", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("text", c_char_p),
        ("source", c_char_p),
        ("source_line", c_uint32),
    ]


class PlotOptions(SizedOptions):
    _fields_ = [
        ("size", c_size_t),
        ("x", c_char_p),
        ("of", c_char_p),
        ("where", POINTER(c_char_p)),
        ("where_count", c_size_t),
        ("y", c_char_p),
        ("by", c_char_p),
        ("log", c_char_p),
        ("title", c_char_p),
        ("x_title", c_char_p),
        ("y_title", c_char_p),
    ]


Handle = c_void_p
Out = POINTER(c_void_p)
Dimensions = c_uint32 * 3

# Result and arguments. A c_int for a result is a wb_status.
PROTOTYPES = {
    "wb_version": (c_char_p,),
    "wb_diagnostics_new": (Handle,),
    "wb_diagnostics_free": (None, Handle),
    "wb_diagnostics_text": (c_char_p, Handle),
    "wb_diagnostics_warning": (None, Handle, c_char_p, c_char_p),
    "wb_diagnostics_message": (c_bool, Handle, c_size_t, POINTER(RawMessage)),
    "wb_severity_name": (c_char_p, c_int),
    "wb_module_read_for": (c_int, c_char_p, Handle, c_char_p, Handle, Out),
    "wb_module_parse": (c_int, c_char_p, c_char_p, c_size_t, Handle, Out),
    "wb_module_free": (None, Handle),
    "wb_module_find_kernel": (c_int, Handle, c_char_p, Handle, Out),
    "wb_kernel_name": (c_char_p, Handle),
    "wb_kernel_registers": (c_uint32, Handle),
    "wb_machine_load": (c_int, c_char_p, Handle, Out),
    "wb_machine_free": (None, Handle),
    "wb_machine_set": (c_int, Handle, c_char_p, Handle),
    "wb_machine_set_neighbours": (c_int, Handle, c_char_p, c_int, Handle),
    "wb_machine_check": (c_int, Handle, Handle),
    "wb_machine_takes_ptx": (c_bool, Handle),
    "wb_machine_preset_count": (c_size_t,),
    "wb_machine_preset_name": (c_char_p, c_size_t),
    "wb_launch_new": (Handle,),
    "wb_launch_free": (None, Handle),
    "wb_is_launch_file": (c_int, c_char_p, Handle, POINTER(c_bool)),
    "wb_launches_read": (c_int, c_char_p, c_int, Handle, Out),
    "wb_launches_free": (None, Handle),
    "wb_launches_is_list": (c_bool, Handle),
    "wb_launches_take": (Handle, Handle, c_size_t),
    "wb_launches_code": (c_char_p, Handle),
    "wb_launches_setting": (c_char_p, Handle, c_int),
    "wb_launch_kernel": (c_char_p, Handle),
    "wb_launch_set_grid": (c_int, Handle, Dimensions, Handle),
    "wb_launch_set_block": (c_int, Handle, Dimensions, Handle),
    "wb_launch_set_shared": (c_int, Handle, c_uint64, Handle),
    "wb_launch_set_registers": (c_int, Handle, c_uint32, Handle),
    "wb_launch_registers": (c_uint32, Handle),
    "wb_launch_read_ptxas_info": (c_int, Handle, c_char_p, Handle, Handle),
    "wb_launch_assume": (c_int, Handle, c_uint, Handle),
    "wb_taken_name_at": (c_char_p, c_size_t),
    "wb_launch_add_argument": (c_int, Handle, c_char_p, Handle),
    "wb_launch_set_argument": (c_int, Handle, Handle, c_char_p, Handle),
    "wb_launch_set_variable": (c_int, Handle, c_char_p, Handle),
    "wb_facts_read": (c_int, c_char_p, Handle, Handle, Out),
    "wb_facts_free": (None, Handle),
    "wb_deadline_cycles": (c_int, Handle, c_char_p, Handle, POINTER(c_uint64)),
    "wb_analyze": (c_int, Handle, Handle, Handle, POINTER(AnalyzeOptions), Handle, Out),
    "wb_analysis_read": (c_int, c_char_p, Handle, Out),
    "wb_analysis_run": (c_int, Handle, POINTER(AnalyzeOptions), Handle),
    "wb_analysis_machine": (Handle, Handle),
    "wb_analysis_has_results": (c_bool, Handle),
    "wb_analysis_reads_setting": (c_bool, Handle, c_char_p),
    "wb_accept_read": (c_int, c_char_p, Handle, POINTER(ctypes.c_uint)),
    "wb_analysis_compare_code": (c_int, Handle, Handle, Handle, Handle, POINTER(AnalyzeOptions), Handle),
    "wb_analysis_free": (None, Handle),
    "wb_report": (c_int, Handle, c_int, POINTER(ReportOptions), Handle, Out),
    "wb_annotate": (c_int, Handle, POINTER(ReportOptions), Handle, Out),
    "wb_analysis_certificate": (c_int, Handle, POINTER(Writer), Handle),
    "wb_analyze_launches": (c_int, Handle, Handle, Handle, POINTER(AnalyzeOptions), Handle, Out),
    "wb_stream_free": (None, Handle),
    "wb_stream_count": (c_size_t, Handle),
    "wb_stream_at": (Handle, Handle, c_size_t),
    "wb_stream_compare_code": (c_int, Handle, c_size_t, Handle, Handle, Handle, POINTER(AnalyzeOptions), Handle),
    "wb_stream_report": (c_int, Handle, c_int, POINTER(ReportOptions), Handle, Out),
    "wb_launches_count": (c_size_t, Handle),
    "wb_launches_at": (Handle, Handle, c_size_t),
    "wb_machine_policies": (c_char_p, Handle),
    "wb_machine_warp_width": (c_uint32, Handle),
    "wb_grid_trace": (c_int, Handle, Handle, POINTER(GridOptions), Handle, Out),
    "wb_grid_free": (None, Handle),
    "wb_gpu_new": (c_int, Handle, Handle, Handle, Out),
    "wb_gpu_free": (None, Handle),
    "wb_gpu_set_threads": (None, Handle, c_uint32),
    "wb_gpu_simulate": (c_int, Handle, c_char_p, c_char_p, POINTER(Watch), Handle),
    "wb_gpu_report": (c_int, Handle, c_int, POINTER(ReportOptions), Handle, Out),
    "wb_schedule_simulate": (c_int, Handle, c_char_p, POINTER(ScheduleOptions), Handle, Out),
    "wb_schedule_worst": (c_int, Handle, POINTER(ScheduleOptions), Handle, Out),
    "wb_schedule_of_gpu": (c_int, Handle, c_char_p, c_char_p, POINTER(ScheduleOptions), Handle, Out),
    "wb_schedule_free": (None, Handle),
    "wb_schedule_describe": (POINTER(ScheduleInfo), Handle),
    "wb_schedule_issues": (POINTER(RawIssue), Handle, POINTER(c_size_t)),
    "wb_schedule_waits": (POINTER(RawWait), Handle, POINTER(c_size_t)),
    "wb_schedule_blocks": (POINTER(RawBlock), Handle, POINTER(c_size_t)),
    "wb_schedule_unit": (c_char_p, Handle, c_uint32),
    "wb_schedule_write": (c_int, Handle, c_int, POINTER(Writer), Handle),
    "wb_wait_name": (c_char_p, c_size_t),
    "wb_kind_name": (c_char_p, c_int),
    "wb_scheme_name": (c_char_p, c_size_t),
    "wb_scheme_summary": (c_char_p, c_size_t),
    "wb_method_name": (c_char_p, c_size_t),
    "wb_method_summary": (c_char_p, c_size_t),
    "wb_method_of_word": (c_char_p, c_char_p),
    "wb_policy_name": (c_char_p, c_size_t),
    "wb_policy_summary": (c_char_p, c_size_t),
}

# The same of the wing `sweep`, which the library may lack.
OF_SWEEPS = {
    "wb_results_open": (c_int, c_char_p, c_bool, Handle, Out),
    "wb_results_free": (None, Handle),
    "wb_results_report": (c_int, Handle, c_int, POINTER(c_char_p), c_size_t, POINTER(Writer), Handle),
    "wb_results_plot": (c_int, Handle, POINTER(PlotOptions), Handle, Out),
}


def beside() -> list[pathlib.Path]:
    """The folders lib that this module is below, as where all of Warpbound is installed below one prefix."""
    return [folder for folder in pathlib.Path(__file__).resolve().parents if folder.name == "lib"]


def candidates() -> list[str]:
    """Where the library may be, best first."""
    given = os.environ.get(VARIABLE)
    if given:
        path = pathlib.Path(given).expanduser()
        return [str(path / NAME if path.is_dir() else path)]
    own = [place for folder in beside() for place in [folder / NAME, *sorted(folder.glob(f"*-linux-*/{NAME}"))]]
    others = [pathlib.Path(folder).expanduser() / NAME for folder in FOLDERS]
    return [*(str(place) for place in own if place.exists()), NAME, *(str(place) for place in others if place.exists())]


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded once."""
    reasons = []
    for place in candidates():
        try:
            loaded = ctypes.CDLL(place)
        except OSError as error:
            reasons.append(str(error))
            continue
        return declare(loaded, place)
    raise LibraryError(
        f"{'; '.join(reasons)}. Install Warpbound, or set {VARIABLE} to the file {NAME} or the folder that it is in"
    )


def declare(loaded: ctypes.CDLL, place: str) -> ctypes.CDLL:
    for name, (result, *arguments) in {**PROTOTYPES, **OF_SWEEPS}.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            if name in OF_SWEEPS:
                continue
            raise LibraryError(f"{place} has no function {name}: it is another version's") from None
        function.restype, function.argtypes = result, arguments
    loaded.free = ctypes.CDLL(None).free
    loaded.free.restype, loaded.free.argtypes = None, [c_void_p]
    return loaded


def command(name: str = "warpbound") -> str:
    """The program `warpbound`, which runs the units of sweeps, or one that is installed beside it."""
    given = os.environ.get(COMMAND_VARIABLE)
    if given and name != "warpbound":
        given = str(pathlib.Path(shutil.which(given) or given).with_name(name))
    own = [str(folder.parent / "bin") for folder in beside()]
    found = shutil.which(given or name, path=None if given else os.pathsep.join([*own, os.environ.get("PATH", "")]))
    if found is None:
        raise LibraryError(f"no program {given or name}: install Warpbound, or set {COMMAND_VARIABLE} to it")
    return found


def encode(text) -> bytes | None:
    """A text or a path for the library; None stays None."""
    encoded = None if text is None else os.fsencode(text)
    if encoded is not None and b"\0" in encoded:
        raise InputError(f"{text!r}: a name has no zero byte")
    return encoded


def decode(text: bytes | None) -> str | None:
    return None if text is None else text.decode(errors="replace")


def decode_path(name: bytes | None) -> str | None:
    return None if name is None else os.fsdecode(name)


class Diagnostics:
    """The messages of a few calls, and the exceptions that they become. Also what these calls made, which is freed
    with the messages.
    """

    def __init__(self):
        self.lib = library()
        self.made: list[tuple[str, int]] = []
        self.handle = self.lib.wb_diagnostics_new()
        if not self.handle:
            raise MemoryError

    def __enter__(self) -> Diagnostics:
        return self

    def __exit__(self, *_) -> None:
        free_all(self.lib, self.made)
        self.lib.wb_diagnostics_free(self.handle)

    def keep(self, handle: int, free: str) -> int:
        """Frees what was made at the end."""
        if not handle:
            raise MemoryError
        self.made.append((free, handle))
        return handle

    def hand_over(self, *more) -> Held:
        """What was made so far, and what it refers to, for as long as somebody has it."""
        made, self.made = self.made, []
        return Held(self.lib, made, more)

    def call(self, name: str, *arguments, out=()) -> None:
        """A function whose last arguments are the messages and what it sets."""
        if name in OF_SWEEPS and not hasattr(self.lib, name):
            raise LibraryError("this build of the library has no sweeps")
        self.check(getattr(self.lib, name)(*arguments, self.handle, *out))

    def make(self, name: str, *arguments, free: str | None = None) -> int:
        """What such a function makes."""
        made = c_void_p()
        self.call(name, *arguments, out=[ctypes.byref(made)])
        return self.keep(made.value, free) if free else made.value

    def text_of(self, name: str, *arguments) -> str:
        """The text that such a function makes."""
        made = self.make(name, *arguments)
        try:
            return ctypes.string_at(made).decode(errors="replace")
        finally:
            self.lib.free(made)

    def messages(self) -> tuple[Message, ...]:
        found, raw = [], RawMessage()
        while self.lib.wb_diagnostics_message(self.handle, len(found), ctypes.byref(raw)):
            severity = decode(self.lib.wb_severity_name(raw.severity))
            found.append(Message(severity, decode(raw.where), raw.line or None, raw.column or None, decode(raw.text)))
        return tuple(found)

    def check(self, status: int) -> None:
        if status != OK:
            raise self.error(status)

    def error(self, status: int) -> Error:
        kinds = {INPUT: InputError, DECLINED: DeclinedError, LIMIT: LimitError}
        text = decode(self.lib.wb_diagnostics_text(self.handle)).strip()
        return kinds.get(status, Error)(text or "out of memory", self.messages())


class Held:
    """What the library made, which goes with this object."""

    def __init__(self, lib, made: list[tuple[str, int]], more: tuple):
        self.more = more
        weakref.finalize(self, free_all, lib, made)


def free_all(lib, made: list[tuple[str, int]]) -> None:
    for free, handle in reversed(made):
        getattr(lib, free)(handle)


def collect(diagnostics: Diagnostics, name: str, *arguments) -> str:
    """What a function writes piece by piece to a wb_writer, which stands in front of the messages."""
    pieces = []

    def write(_user, bytes_, size):
        pieces.append(ctypes.string_at(bytes_, size))
        return True

    writer = Writer(Write(write), None)
    function = getattr(diagnostics.lib, name)
    diagnostics.check(Interruptible(None).run(function, *arguments, ctypes.byref(writer), diagnostics.handle))
    return b"".join(pieces).decode(errors="replace")


def registry(name: str, summary: str) -> dict[str, str]:
    lib, found = library(), {}
    while (key := getattr(lib, name)(len(found))) is not None:
        found[decode(key)] = decode(getattr(lib, summary)(len(found)))
    return found


def version() -> str:
    """The version of the library."""
    return decode(library().wb_version())


def machines() -> list[str]:
    """The names of the machines that the library has."""
    lib = library()
    return [decode(lib.wb_machine_preset_name(index)) for index in range(lib.wb_machine_preset_count())]


def method_of(word: str) -> str:
    """The method that a name of an earlier version means: of "k-area" it is "kernel"; any other word is given back."""
    return decode(library().wb_method_of_word(encode(word)))


def methods() -> dict[str, str]:
    """The names of all methods, each with what it computes."""
    return registry("wb_method_name", "wb_method_summary")


def schemes() -> dict[str, str]:
    """The names of all schemes of access to the first level of caches, each with what it does."""
    return registry("wb_scheme_name", "wb_scheme_summary")


def policies() -> dict[str, str]:
    """The names of all policies of warp schedulers, each with what it does."""
    return registry("wb_policy_name", "wb_policy_summary")
