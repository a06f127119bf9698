"""What is analysed or simulated: a launch of a kernel on a machine."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

from . import _library
from ._errors import InputError
from ._library import Diagnostics, encode

PathLike = Union[str, "os.PathLike[str]"]
Size = Union[int, Sequence[int]]

FILES_BELOW, FILES_ANY = 0, 1
# What a launch file says in place of options.
CODE, FACTS, PTXAS_INFO, MACHINE, DEADLINE, ACCEPT, _COMPILE, RESIDENT, PARTITION, INTERFERENCE = range(10)


@dataclass
class LaunchOptions:
    """What is said of a launch beside its file."""

    grid: Size | None
    block: Size | None
    shared: int | None
    registers: int | None
    arguments: Iterable[str] | Mapping[str | int, object]  # all of them, or other values for single ones
    variables: Mapping[str, str] | None
    assume: str | Iterable[str] | None


@dataclass
class KernelOptions:
    """What is said of the kernel and the machine."""

    kernel: str | None
    ptxas_info: PathLike | None
    facts: PathLike | None
    machine: str | PathLike | None
    settings: Mapping[str, object] | list[bytes] | None
    cubin: PathLike | None
    image: str | None = None  # which code of a program
    single: list[bytes] = field(default_factory=list)  # other values for single arguments


@dataclass
class Loaded:
    """What the library has of a kernel and a machine."""

    module: int
    kernel: int
    machine: int


def split_options(of_launch: LaunchOptions, of_kernel: KernelOptions) -> tuple[LaunchOptions, KernelOptions]:
    """The same with single arguments, which are known by the kernel, and settings as the library takes them."""
    of_kernel.settings = as_settings(of_kernel.settings or {})
    if isinstance(of_launch.arguments, Mapping):
        of_kernel.single, of_launch.arguments = as_settings(of_launch.arguments), ()
    if isinstance(of_launch.arguments, str):
        raise InputError(
            f"arguments: expected a list of all of them, or names with values, got {of_launch.arguments!r}"
        )
    of_launch.arguments = tuple(of_launch.arguments)
    return of_launch, of_kernel


def read_module(said: Diagnostics, launch: Launch, of: KernelOptions, machine: int) -> int:
    """The code of a launch that the machine executes."""
    return said.make("wb_module_read_for", encode(launch.code), machine, encode(of.image), free="wb_module_free")


def load_kernel(said: Diagnostics, launch: Launch, of: KernelOptions, machine: int) -> tuple[int, int]:
    """The module of a launch, and its kernel."""
    module = read_module(said, launch, of, machine)
    name = encode(of.kernel) or said.lib.wb_launch_kernel(launch.handle)
    return module, said.make("wb_module_find_kernel", module, name)


def load_inputs(
    said: Diagnostics, launch: Launch, of_launch: LaunchOptions, of: KernelOptions, *, bounds: bool = True
) -> Loaded:
    """The kernel of a launch, which gets what is said of it besides, and the machine."""
    set_launch(said, launch.handle, of_launch)
    machine = load_machine(said, of.machine, of.settings, launch, bounds=bounds)
    module, kernel = load_kernel(said, launch, of, machine)
    for argument in of.single:
        said.call("wb_launch_set_argument", launch.handle, kernel, argument)
    read_registers(said, launch, kernel, of.ptxas_info, of_launch.registers is not None)
    return Loaded(module, kernel, machine)


def as_list(names: str | Iterable[str] | None) -> str | None:
    """Names as the library takes them, separated by commas."""
    if names is None or isinstance(names, str):
        return names
    names = list(names)
    if not names:
        raise InputError("expected at least one name, or None for the usual ones: the list is empty")
    return ",".join(names)


def as_number(name: str, value: int, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number that the library takes as it is: ctypes would cut off what is too large."""
    if not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{name}: expected a whole number from {least} to {most}, got {value!r}")
    return value


def as_deadline(deadline: str) -> str:
    """A text with a unit: of a number nobody can say whether it is of cycles or of a time."""
    if not isinstance(deadline, str):
        raise InputError(f'deadline: {deadline!r} has no unit: write "{deadline}us" or "{deadline} cycles"')
    return deadline


def dimensions(size: Size, left_out: int = 1) -> ctypes.Array:
    """One to three numbers, and what those that are left out are."""
    numbers = [size] if isinstance(size, int) or not isinstance(size, Iterable) else list(size)
    right = 1 <= len(numbers) <= 3 and all(isinstance(n, int) and 0 <= n < 2**32 for n in numbers)
    if not right:
        raise InputError(f"{size!r}: expected one to three whole numbers, such as 16 or (16, 4)")
    return _library.Dimensions(*numbers, *[left_out] * (3 - len(numbers)))


@dataclass
class Launch:
    """What is launched, of a launch file and arguments of `analyze`, as the library has it."""

    code: str
    handle: int | None  # None: of a list
    settings: dict[int, str | None]
    launches: int | None = None  # the list
    files: int = FILES_BELOW  # that it may name


def is_launch_file(said: Diagnostics, path: PathLike) -> bool:
    found = ctypes.c_bool()
    said.call("wb_is_launch_file", encode(path), out=[ctypes.byref(found)])
    return found.value


def is_yaml(path: str) -> bool:
    return path.endswith((".yaml", ".yml"))


def read_launch_file(said: Diagnostics, code: str | None, path: str, allow_files: bool, lists: bool) -> Launch:
    lib = said.lib
    files = FILES_ANY if allow_files else FILES_BELOW
    launches = said.make("wb_launches_read", encode(path), files, free="wb_launches_free")
    is_list = lib.wb_launches_is_list(launches)
    if is_list and not lists:
        raise InputError(f"{path}: expected one launch, got a list of launches, which only analyze takes")
    settings = {which: _library.decode_path(lib.wb_launches_setting(launches, which)) for which in range(INTERFERENCE + 1)}
    named = code or _library.decode_path(lib.wb_launches_code(launches))
    if named is None:
        raise InputError(f"{path}: it does not name its code: give both, analyze(code, launch=...)")
    if code is not None and settings[CODE] is not None and not same_file(code, settings[CODE]):
        settings[FACTS] = None  # they are of the other code
    if is_list:
        return Launch(named, None, settings, launches, files)
    return Launch(named, said.keep(lib.wb_launches_take(launches, 0), "wb_launch_free"), settings, files=files)


def same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def make_launch(
    said: Diagnostics, code: str, launch: PathLike | None, allow_files: bool, *, lists: bool = False
) -> Launch:
    if launch is not None:
        return read_launch_file(said, code, os.fspath(launch), allow_files, lists)
    if is_yaml(code):
        return read_launch_file(said, None, code, allow_files, lists)
    return Launch(code, said.keep(said.lib.wb_launch_new(), "wb_launch_free"), dict.fromkeys(range(INTERFERENCE + 1)))


def as_settings(values: Mapping[object, object]) -> list[bytes]:
    """KEY=VALUE, of each; two numbers are an interval."""
    texts = {key: str(value).lower() if isinstance(value, bool) else value for key, value in values.items()}
    return [encode(f"{key}={list(text) if isinstance(text, tuple) else text}") for key, text in texts.items()]


def load_machine(
    said: Diagnostics, name: str | None, settings: list[bytes], launch: Launch, *, bounds: bool = True
) -> int:
    """The machine named, or else the launch's, with the settings and, where these leave it open, the launch's part of
    the GPU, promises of memory, and neighbours."""
    name = name if name is not None else launch.settings[MACHINE]
    if name is None:
        raise InputError("no machine: name a preset (warpbound.machines() lists them) or a file, machine=...")
    machine = said.make("wb_machine_load", encode(name), free="wb_machine_free")
    for setting in settings:
        said.call("wb_machine_set", machine, setting)
    said.call("wb_machine_check", machine)

    def stated(which: int, key: bytes) -> str | None:
        return None if any(setting.startswith(key) for setting in settings) else launch.settings[which]

    partition, promised = stated(PARTITION, b"partition="), stated(RESIDENT, b"resident=")
    if partition is not None:
        said.call("wb_machine_set", machine, encode(f"partition={partition}"))
    if promised is not None and not said.lib.wb_machine_takes_ptx(machine):
        said.call("wb_machine_set", machine, encode(f"resident={promised}"))
    said.call("wb_machine_check", machine)
    neighbours = stated(INTERFERENCE, b"interference=") if bounds else None
    if neighbours is not None:
        said.call("wb_machine_set_neighbours", machine, encode(neighbours), launch.files)
        said.call("wb_machine_check", machine)
    return machine


def read_registers(said: Diagnostics, launch: Launch, kernel: int, ptxas_info: PathLike | None, by_hand: bool) -> None:
    """Of what ptxas printed, unless machine code says them, or the launch."""
    named = ptxas_info is not None
    file = ptxas_info if named else launch.settings[PTXAS_INFO]
    of_launch = not named and said.lib.wb_launch_registers(launch.handle)
    of_code = not named and said.lib.wb_kernel_registers(kernel)
    if file is not None and not (by_hand or of_launch or of_code):
        said.call("wb_launch_read_ptxas_info", launch.handle, encode(file), kernel)


def assumed(lib, names: str | Iterable[str]) -> int:
    """Names as the set of bits that the library has for them."""
    known = {}
    while (name := lib.wb_taken_name_at(len(known))) is not None:
        known[_library.decode(name)] = 1 << len(known)
    bits = 0
    for name in as_list(names).split(","):
        if name not in known and name != "all":
            raise InputError(f"assume {name}: expected {', '.join(known)} or all")
        bits |= sum(known.values()) if name == "all" else known[name]
    return bits


def set_launch(said: Diagnostics, launch: int, of: LaunchOptions) -> None:
    for name, size in (("grid", of.grid), ("block", of.block)):
        if size is not None:
            said.call(f"wb_launch_set_{name}", launch, dimensions(size))
    for name, number, most in (("shared", of.shared, 2**64 - 1), ("registers", of.registers, 2**32 - 1)):
        if number is not None:
            said.call(f"wb_launch_set_{name}", launch, as_number(name, number, 0, most))
    if of.assume is not None:
        said.call("wb_launch_assume", launch, assumed(said.lib, of.assume))
    for argument in of.arguments:
        said.call("wb_launch_add_argument", launch, encode(argument))
    for name, contents in (of.variables or {}).items():
        said.call("wb_launch_set_variable", launch, encode(f"{name}={contents}"))
