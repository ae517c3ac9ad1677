"""Measures cases beside PyTorch, JAX, ONNX Runtime, numba and Halide on one number of threads; writes a record a line.

`scripts/bench_peers` calls this in the peers' virtual environment. A family is a module of this folder with `cases(ko)`.
"""

import importlib
import os
import sys

import compile_times
import runners
import sizes

#: In the order of the table.
FAMILIES = (
    "products", "transformers", "rows", "attention", "places", "recurrent", "ragged", "sparse", "functions", "elementary", "borders",
    "small_elements",
)  # fmt: skip


def families():
    return [importlib.import_module(name) for name in FAMILIES]


def main():
    options, write = runners.options_parser(__doc__).parse_args(), runners.writer()
    if options.small:
        os.environ[sizes.SMALL] = "1"
    peers = runners.load(options)
    good = runners.measure(families(), peers, options, write)
    for name in compile_times.PROGRAMS:
        if options.threads == 1 and runners.selected(options.filter.split(), f"compile {name}"):
            for record in compile_times.records(name, 2 if options.quick else 3, peers):
                write(record)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
