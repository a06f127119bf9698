"""What a validation ran on: tool, sources, compiler, system, packages."""

import hashlib
import json
import os
import platform
import re
import shlex
import subprocess


def output_of(command, cwd=None):
    """What a command prints, without the last newline; None where it cannot be run or fails."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace",
                              check=False)
    except OSError:
        return None
    return done.stdout.rstrip("\n") if done.returncode == 0 else None


def first_line(command):
    text = output_of(command)
    return text.splitlines()[0] if text else None


def git(root, *arguments):
    """What git says of the sources; None where they are no repository of their own."""
    if output_of(["git", "rev-parse", "--show-toplevel"], root) != str(root):
        return None
    return output_of(["git", *arguments], root)


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def sources_of(root):
    """Files of the project with their checksums: what git tracks, else all that is not hidden or
    built."""
    listed = git(root, "ls-files", "-z")
    if listed is not None:
        names = [name for name in listed.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()
                 and not re.match(r"\.|build", path.relative_to(root).parts[0])]
    return [(name, sha256(root / name)) for name in sorted(names) if (root / name).is_file()]


def tool(root, build):
    """The tool that was validated: versions, checksums of what was built and of what it was built
    from."""
    files = sources_of(root)
    lines = "".join(f"{checksum}  {name}\n" for name, checksum in files)
    changed = git(root, "status", "--porcelain")
    binaries = ["warpbound", "warpbound-check",
                *sorted(str(path.relative_to(build)) for path in build.glob("src/libwarpbound.*"))]
    return {
        "version": first_line([str(build / "warpbound"), "--version"]),
        "commit": git(root, "rev-parse", "HEAD"),
        "changed_since_commit": None if changed is None
        else [line[2:].strip() for line in changed.splitlines()],
        "sources": len(files),
        "sources_sha256": hashlib.sha256(lines.encode()).hexdigest(),
        "binaries": {name: sha256(build / name) for name in binaries if (build / name).is_file()},
    }, lines


def cmake_cache(build):
    file = build / "CMakeCache.txt"
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return dict(re.findall(r"^([A-Z][A-Z_]+):[A-Z]+=(.*)$", text, re.MULTILINE))


def compiler_flags(build):
    """The flags that the first file of the library was compiled with, without its paths."""
    file = build / "compile_commands.json"
    if not file.is_file():
        return None
    for entry in json.loads(file.read_text(encoding="utf-8")):
        if "/src/" in entry["file"]:
            words = shlex.split(entry["command"])[1:]
            return " ".join(word for word in words if re.match(r"-(?![IMoc])", word))
    return None


def packages(root):
    """Versions of the Debian packages that scripts/install-packages names; None where one is not
    installed."""
    script = root / "scripts/install-packages"
    groups = re.findall(r"^\s+\w+\) echo ([^;]*);;", script.read_text(encoding="utf-8"),
                        re.MULTILINE) if script.is_file() else []
    names = sorted({name for group in groups for name in group.split()
                    if re.fullmatch(r"[a-z0-9.+-]+", name)})
    found = {}
    for name in names:
        version = output_of(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name])
        found[name] = version.split()[1] if version and version.startswith("installed ") else None
    return found


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            match = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    except OSError:
        match = None
    return match.group(1) if match else platform.processor() or "unknown"


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return "unknown"


def environment(root, build):
    """What the tool was built with and ran on."""
    cache = cmake_cache(build)
    compiler = cache.get("CMAKE_C_COMPILER", "cc")
    return {
        "system": system(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor(),
        "processors": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "compiler": first_line([compiler, "--version"]),
        "build_type": cache.get("CMAKE_BUILD_TYPE"),
        "flags": compiler_flags(build),
        "options": {key: cache[key] for key in sorted(cache)
                    if re.fullmatch(r"WB_[A-Z]+|BUILD_TESTING", key)},
        "c_library": first_line(["ldd", "--version"]),
        "cmake": first_line(["cmake", "--version"]),
        "python": platform.python_version(),
        "coq": first_line(["coqc", "--version"]),
        "rounds": "all" if os.environ.get("WB_ROUNDS") == "all" else "a tenth (as in make test)",
        "packages": packages(root),
    }
