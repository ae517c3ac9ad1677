"""Which instructions ours and the peers may use: those of the machine, or AVX2 on one that has more."""

import os
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


def processor(key):
    """What /proc/cpuinfo says of the first processor: `flags`, `vendor_id`, `model name`."""
    found = re.search(rf"^{key}\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return found.group(1) if found else ""


def widest():
    """The widest instructions of this machine, in words."""
    flags = processor("flags").split()
    return next((words for flag, words in (("avx512vl", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "SSE")


def avx2():
    """Variables of the environment that hold ours and each peer to AVX2; ONNX Runtime takes none, and stays away.

    Code is for a processor of the same maker that has AVX2 and no more: what gathers cost differs between makers. NumPy
    up to 2.3 and from 2.4 on has other names for its parts. torch.compile asks its compiler for the machine at hand.
    """
    cpu = "znver3" if processor("vendor_id") == "AuthenticAMD" else "skylake"
    return {
        "KOLAM_TARGET": cpu, "KOLAM_BENCH_CPU": cpu, "DNNL_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "CXX": str(HERE / "peers/avx2/g++"),
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2", "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2,+f16c",
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4",
        "HL_JIT_TARGET": "x86-64-linux-avx-avx2-f16c-fma-sse41",
    }  # fmt: skip


def is_held(isa):
    """Whether the option asks for less than the machine has."""
    return isa == "avx2" and widest() == "AVX-512"


def environment(isa):
    """That of this process, with what holds all to the instructions that were asked for, and their name."""
    return {**os.environ, "KOLAM_BENCH_ISA": words(isa), **(avx2() if is_held(isa) else {})}


def words(isa):
    """The widest instructions that a run with this option uses."""
    return "AVX2" if isa == "avx2" else widest()
