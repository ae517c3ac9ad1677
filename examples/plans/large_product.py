"""The product of two `.npy` files, under a limit of memory for each worker.

    large_product.py [size [memory per worker [engine]]]

The files hold size x size float32 numbers, 1024 where nothing is said. A task reads the boxes of the files that it needs, its
result goes to its place in a third file: the matrices are never whole in memory. `large_product.py 20000 1GiB` takes 4.8 GB
of disk and about 16 TFLOP; `large_product.py 20000 1GiB ray` runs on Ray.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import kolam as ko

SIZE, MEMORY, WORKERS = 1024, "6MiB", 2
#: Columns of the result that are compared with the program's own, and rows that are written at once.
COMPARED, ROWS = 64, 256


def product(x, w):
    return x @ w


def write(path, size, seed):
    """Random numbers, some rows at a time."""
    whole = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(size, size))
    random = np.random.default_rng(seed)
    for row in range(0, size, ROWS):
        whole[row : row + ROWS] = random.standard_normal((min(ROWS, size - row), size), np.float32)
    whole.flush()


def same(folder, size):
    """Whether the first columns have the bits that the product of all rows with these columns has."""
    x, w, y = (np.load(folder / name, mmap_mode="r") for name in ("x.npy", "w.npy", "y.npy"))
    columns = np.ascontiguousarray(w[:, :COMPARED])
    multiply = ko.jit(product)
    for row in range(0, size, ROWS):
        part = np.asarray(multiply(np.ascontiguousarray(x[row : row + ROWS]), columns))
        if part.tobytes() != np.ascontiguousarray(y[row : row + ROWS, :COMPARED]).tobytes():
            return False
    return True


def main(size: int, memory=MEMORY, engine="local"):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "x.npy", size, 1)
        write(folder / "w.npy", size, 2)
        x, w = ko.source(folder / "x.npy"), ko.source(folder / "w.npy")
        plan = ko.plan(product, x, w, workers=WORKERS, memory_per_worker=memory, steps=0)
        print(f"{size} x {size}, {WORKERS} workers, at most {memory} each: {plan.cost['peak_memory']:,.0f} bytes are needed")
        print(f"the matrices have {3 * 4 * size * size:,} bytes")
        start = time.perf_counter()
        plan.run(x, w, out={0: folder / "y.npy"}, engine=engine)
        seconds = time.perf_counter() - start
        print(f"{seconds:.2f} s, {2 * size**3 / seconds / 1e9:.0f} GFLOP/s")
        print(f"equal bits in the first {COMPARED} columns: {same(folder, size)}")


if __name__ == "__main__":
    size, *others = sys.argv[1:4] or [str(SIZE)]
    main(int(size), *others)
