"""Measures whole programs beside numba, JAX, PyTorch, pythran and Mojo on one number of threads; a record a line.

`scripts/bench_programs` calls this in the peers' virtual environment. A family is a module of
this folder with `cases(ko)`.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# At the end: families may have names of Python's own modules.
sys.path[:] = [path for path in sys.path if path != str(HERE)] + [str(HERE.parent / "peers"), str(HERE)]
import runners  # noqa: E402
import sizes  # noqa: E402

# Within 1.25 of the best peer's time (table.NEAR); what falls below has its reason in bench/notes.txt.
GOAL = 0.8


def families():
    return [module for module in runners.modules_in(HERE, ["main"]) if hasattr(module, "cases")]


def main():
    options, write = runners.options_parser(__doc__).parse_args(), runners.writer()
    if options.small:
        os.environ[sizes.SMALL] = "1"
    peers = runners.load(options)
    return 0 if runners.measure(families(), peers, options, write, GOAL) else 1


if __name__ == "__main__":
    sys.exit(main())
