"""How long the first call of a kernel takes that compiles it, less what a further call takes; each in a process of its own.

As a program, `compiling.py PROGRAM` writes these seconds; another small program was compiled before. Caches on disk are off.
"""

import sys

from children import number

LIMIT = 0.06  # seconds that the kernel of products may take
ROUNDS = 3
# (row, program, beside what, the share to reach)
ROWS = (
    ("compile the matmul kernel", "matmul", "goal", 1.0),
    ("compile the attention kernel", "attention", "ko.attention", 1 / 1.5),
    ("compile a body of 256 steps, unrolled", "unrolled", "fori_loop", 1 / 4),
)


def steps(is_unrolled):
    """A kernel of 256 steps, each of which reads a row."""

    def call(lib, pl):
        def kernel(x_ref, o_ref):
            def step(i, total):
                return total * 0.5 + x_ref[i]

            total = lib.zeros(o_ref.shape, dtype=lib.float32)
            if is_unrolled:
                for i in range(256):
                    total = step(i, total)
            else:
                total = lib.fori_loop(0, 256, step, total)
            o_ref[...] = total

        return pl.pallas_call(kernel, lib.ShapeDtypeStruct((128,), lib.float32))

    return call


def program(ko, name):
    """(function, arguments)."""
    import attention
    import kernel
    import matmul
    from case import floats

    lib = kernel.KolamNames(ko)
    if name == "matmul":
        return matmul.by_grid((128, 128, 128), "relu")(lib, lib.pallas), [floats(1, 1024, 1024), floats(2, 1024, 1024)]
    if name in ("attention", "ko.attention"):
        inputs = [floats(seed, 1, 8, 512, 64) for seed in (1, 2, 3)]
        return (ko.attention if name == "ko.attention" else attention.attention_kernel()(lib, lib.pallas)), inputs
    return steps(name == "unrolled")(lib, lib.pallas), [floats(1, 256, 128)]


def seconds_to_compile(name):
    import kolam as ko
    import numpy as np
    import turns

    function, inputs = program(ko, name)
    inputs = [ko.asarray(array) for array in inputs]
    ko.jit(lambda x: x - 1)(ko.asarray(np.ones((7, 5), np.float32))).block_until_ready()
    names = ", ".join(f"x{place}" for place in range(len(inputs)))
    run, times = ko.jit(eval(f"lambda {names}: function({names})", {"function": function})), []
    for _ in range(2):
        start = turns.clock()
        run(*inputs).block_until_ready()
        times.append(turns.clock() - start)
    return times[0] - times[1]


def measure(run, row, name, beside, share):
    ours, peer = [], []
    for _ in range(ROUNDS):
        ours.append(number(__file__, name))
        peer.append(LIMIT if beside == "goal" else number(__file__, beside))
    run.record(row, ours, [(beside, peer, True)], share)


def measurements(run):
    """(name, a function that measures it)."""
    for row in ROWS:
        yield row[0], lambda row=row: measure(run, *row)


if __name__ == "__main__":
    print(seconds_to_compile(sys.argv[1]))
