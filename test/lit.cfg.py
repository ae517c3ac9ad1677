# The lit suite: every .mlir file under test/ is a test; its RUN lines call kolam-opt, kolam and LLVM's test tools.
import os

import lit.formats

config.name = "kolam"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

# kolam-opt and kolam from the build tree, FileCheck, not and split-file from LLVM.
config.environment["PATH"] = os.pathsep.join(
    [config.kolam_tools, config.llvm_tools, os.environ["PATH"]]
)
# Compiled code is not kept on disk unless a test says so: no test depends on what ran before.
config.environment["KOLAM_CACHE"] = "off"
# What a caller may set: sanitizer options, our own trace switches.
for name, value in os.environ.items():
    if name.startswith(("ASAN_", "UBSAN_", "LSAN_", "TSAN_", "KOLAM_")):
        config.environment[name] = value

# `REQUIRES: avx512_bf16` and the like: the flags of this machine's processor.
with open("/proc/cpuinfo") as cpuinfo:
    flags = next((line for line in cpuinfo if line.startswith("flags")), "flags:")
config.available_features.update(flags.split(":")[1].split())
