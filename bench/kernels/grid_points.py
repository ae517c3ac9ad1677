"""What a point of an axis costs whose points wait for one another, and what a call from Python costs."""

import numpy as np
from case import floats
from kernel import KolamNames, size

POINT, CALL = 5e-9, 2e-6  # seconds that they may take


def decay(lib, pl, n, width):
    """An output block that all points change."""

    def kernel(x_ref, o_ref):
        o_ref[...] = o_ref[...] * 0.5 + x_ref[...]

    own, whole = pl.BlockSpec((width,), lambda i: (i,)), pl.BlockSpec((width,), lambda i: (0,))
    return pl.pallas_call(kernel, lib.ShapeDtypeStruct((width,), lib.float32), grid=(n,), in_specs=[own], out_specs=whole)


def in_scratch(lib, pl, n, width):
    """A scratch array that all points change; each writes a block of its own."""

    def kernel(x_ref, o_ref, kept_ref):
        kept_ref[...] = kept_ref[...] * 0.5 + x_ref[...]
        o_ref[...] = kept_ref[...]

    own = pl.BlockSpec((width,), lambda i: (i,))
    return pl.pallas_call(
        kernel, lib.ShapeDtypeStruct((n * width,), lib.float32), grid=(n,), in_specs=[own], out_specs=own,
        scratch_shapes=[lib.scratch((width,), lib.float32)],
    )  # fmt: skip


def when_even(lib, pl, n, width):
    """As `decay`, at every second point."""

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) % 2 == 0)
        def _():
            o_ref[...] = o_ref[...] * 0.5 + x_ref[...]

    own, whole = pl.BlockSpec((width,), lambda i: (i,)), pl.BlockSpec((width,), lambda i: (0,))
    return pl.pallas_call(kernel, lib.ShapeDtypeStruct((width,), lib.float32), grid=(n,), in_specs=[own], out_specs=whole)


def decayed(x, step=1):
    total = np.zeros(x.shape[1])
    for row in x[::step]:
        total = total * 0.5 + row
    return total


def all_decayed(x):
    result, total = np.empty_like(x), np.zeros(x.shape[1])
    for place, row in enumerate(x):
        result[place] = total = total * 0.5 + row
    return result.ravel()


KERNELS = {
    "an output block": (decay, decayed),
    "a scratch array": (in_scratch, all_decayed),
    "a branch at every second": (when_even, lambda x: decayed(x, 2)),
}


def point_row(run, name, word, width):
    n, (make, reference), lib = size(max(100_000 // width, 2000), 50), KERNELS[word], KolamNames(run.ko)
    x = floats(1, n * width)
    call = run.peers["kolam"].call(make(lib, lib.pallas, n, width), [x], [])
    run.require_close(name, np.asarray(call()), reference(x.reshape(n, width).astype(np.float64)))
    ours = [seconds / n for seconds in run.times([call])[0]]
    run.record(name, ours, [("goal", [POINT] * len(ours), True)], 1)


def call_row(run, name):
    """A kernel of eight elements, compiled: what is left is the call."""
    lib, x = KolamNames(run.ko), floats(1, 8)
    pl = lib.pallas

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    call = run.peers["kolam"].call(pl.pallas_call(kernel, lib.ShapeDtypeStruct((8,), lib.float32)), [x], [])
    run.require_close(name, np.asarray(call()), x.astype(np.float64) + 1)
    ours = run.times([call])[0]
    run.record(name, ours, [("goal", [CALL] * len(ours), True)], 1)


def measurements(run):
    """(name, a function that measures it)."""
    for word in KERNELS:
        for width in (1, 8, 64):
            name = f"a point of {width} element{'s' * (width > 1)}: {word}"
            yield name, lambda name=name, word=word, width=width: point_row(run, name, word, width)
    yield "a call of a kernel from Python", lambda: call_row(run, "a call of a kernel from Python")
