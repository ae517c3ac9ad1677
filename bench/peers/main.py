"""Measures cases beside PyTorch, JAX, ONNX Runtime and numba on one number of threads; writes a record a line.

`scripts/bench_peers` calls this in the peers' virtual environment.
"""

import sys

import attention
import borders
import compile_times
import functions
import places
import products
import ragged
import recurrent
import rows
import runners
import small_elements
import sparse

FAMILIES = (products, rows, attention, places, recurrent, ragged, sparse, functions, elementary, borders, small_elements)


def main():
    options, write = runners.options_parser(__doc__).parse_args(), runners.writer()
    peers = runners.load(options)
    good = runners.measure(FAMILIES, peers, options, write)
    for name in compile_times.PROGRAMS:
        if options.threads == 1 and runners.selected(options.filter.split(), f"compile {name}"):
            for record in compile_times.records(name, 2 if options.quick else 3, peers):
                write(record)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
