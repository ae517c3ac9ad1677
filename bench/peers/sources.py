"""Peers that compile a source file of a program: numba and pythran the same loops in Python, Mojo and clang their own.

`NAME.py` has a function `run(*inputs, *numbers)`, which gives the result, with the types that pythran is to compile it
for. A loop whose iterations are independent stands under `# omp parallel for`: pythran takes it so, for numba its range
becomes `prange`. `NAME.mojo` and `NAME.cpp` export `run(inputs..., result, extents of the inputs..., numbers...)`.
"""

import ctypes
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np

BUILT = Path(__file__).resolve().parents[2] / "build/bench/sources"
CPU = os.environ.get("KOLAM_BENCH_CPU")  # that code is made for; None: the one at hand (bench/instruction_sets.py)
MARCH = f"-march={CPU or 'native'}"
LONGEST = 300  # seconds to compile a source: pythran may need more than anyone waits
PARALLEL = re.compile(r"(# omp parallel for[^\n]*\n\s*for [^\n]* in )range\(")


def arguments(case):
    """What a source takes: the arrays, then the numbers."""
    return [np.ascontiguousarray(array) for array in case.inputs + case.weights] + list(case.numbers)


def python_run(path, compiled=lambda function: function, change=lambda text: text, **names):
    """`run` of a source in Python; its functions see each other compiled."""
    scope = {"__name__": path.stem, "range": range, **names}
    exec(compile(change(path.read_text()), str(path), "exec"), scope)
    for name, value in list(scope.items()):
        if getattr(value, "__module__", None) == path.stem and callable(value):
            scope[name] = compiled(value)
    return scope["run"]


def in_parallel(path):
    """Whether a source has loops for `prange`. They are compiled apart, and often better, on one thread too."""
    return PARALLEL.search(path.read_text()) is not None


def numba_call(numba, case, parallel):
    """With fast mathematics, as NPBench has it."""
    compiled = numba.njit(fastmath=True, parallel=parallel)
    change = (lambda text: PARALLEL.sub(r"\1prange(", text)) if parallel else (lambda text: text)
    run, given = python_run(case.source.with_suffix(".py"), compiled, change, prange=numba.prange), arguments(case)
    return lambda: run(*given)


def peers(source):
    """(name, package, a function (peer, case, our result) to the call) for each that can compile the source."""
    loops = source.with_suffix(".py")
    if loops.exists():
        yield "numba", "numba", lambda peer, case, result: numba_call(peer.numba, case, False)
        if in_parallel(loops):
            yield "numba prange", "numba", lambda peer, case, result: numba_call(peer.numba, case, True)
        yield "pythran", "pythran", lambda peer, case, result: peer.from_source(case, result)
    for suffix, name, package in ((".mojo", "Mojo", "mojo"), (".cpp", "C++", "clang")):
        if source.with_suffix(suffix).exists():
            yield name, package, lambda peer, case, result: peer.from_source(case, result)


def built(path, suffix, command):
    """What the command makes of the file at the path, kept by its contents; the command takes (source, result)."""
    key = hashlib.sha256(path.read_bytes() + repr(command(path, "")).encode()).hexdigest()[:16]
    folder = BUILT / f"{path.stem}-{key}"
    result, part = folder / f"{path.stem}{suffix}", folder / "part" / f"{path.stem}{suffix}"
    refused = folder / "refused.txt"
    if not result.exists() and not refused.exists():
        part.parent.mkdir(parents=True, exist_ok=True)
        why = failure(command(path, part), folder)
        if why:
            refused.write_text(why)
        else:
            part.rename(result)
    if refused.exists():
        raise RuntimeError(f"{command(path, part)[0]}: {refused.read_text()}")
    return result


def failure(command, folder):
    """Why the command did not end well. Not in our root: pythran's compiler would read our pyproject.toml."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    process = subprocess.Popen(command, cwd=folder, **options)
    try:
        text = process.communicate(timeout=LONGEST)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the compilers that it started too
        process.wait()
        return f"took more than {LONGEST} s"
    return "" if process.returncode == 0 else text.strip() or f"ended with {process.returncode}"


def tool(name):
    """A program of the virtual environment."""
    path = shutil.which(name)
    if not path:
        raise ImportError(f"{name} is not installed")
    return path


class Pythran:
    """Loops in Python as C++, with fast mathematics; OpenMP, which spoils inner loops, only for several threads."""

    FLAGS = ("-O3", MARCH, "-ffast-math", "-DUSE_XSIMD")

    def __init__(self, threads):
        self.flags = [*self.FLAGS] + ["-fopenmp"] * (threads > 1)
        self.version = importlib.metadata.version("pythran")
        self.program = tool("pythran")

    def from_source(self, case, result):
        path = built(case.source.with_suffix(".py"), ".so", lambda source, to: [
            self.program, *self.flags, source, "-o", to,
        ])  # fmt: skip
        spec = importlib.util.spec_from_file_location(case.source.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        given = arguments(case)
        return lambda: module.run(*given)

    def to_numpy(self, result):
        return np.asarray(result)


def library_call(path, case, result):
    """A call of `run` of a shared library, which writes arrays like the result."""
    run = ctypes.CDLL(str(path)).run
    arrays = arguments(case)[: len(case.inputs) + len(case.weights)]
    given = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    extents = [ctypes.c_int64(extent) for array in arrays for extent in array.shape]
    numbers = [ctypes.c_int64(number) if isinstance(number, int) else ctypes.c_double(number) for number in case.numbers]

    def call():
        written = np.empty_like(result)
        run(*given, ctypes.c_void_p(written.ctypes.data), *extents, *numbers)
        return written

    call.keeps = arrays
    return call


class Mojo:
    """A shared library. Mojo's package has no parallel loop for CPUs: it uses one thread, however many there are."""

    def __init__(self, threads):
        self.program = tool("mojo")
        self.version = subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout.split()[1]

    def from_source(self, case, result):
        path = built(case.source.with_suffix(".mojo"), ".so", lambda source, to: [
            self.program, "build", *(["--target-cpu", CPU] if CPU else []), "--emit", "shared-lib", source, "-o", to,
        ])  # fmt: skip
        return library_call(path, case, result)

    def to_numpy(self, result):
        return result


class Clang:
    """A shared library of C++ by hand, on one thread."""

    FLAGS = ("-std=c++20", "-O3", MARCH, "-mprefer-vector-width=512", "-ffast-math", "-shared", "-fPIC")

    def __init__(self, threads):
        self.program = tool("clang++-22")
        self.version = subprocess.run([self.program, "-dumpversion"], capture_output=True, text=True).stdout.strip()

    def from_source(self, case, result):
        path = built(case.source.with_suffix(".cpp"), ".so", lambda source, to: [
            self.program, *self.FLAGS, source, "-o", to,
        ])  # fmt: skip
        return library_call(path, case, result)

    def to_numpy(self, result):
        return result
