"""Plans on Ray beside `dask.array`, two worker processes of one thread each: a product, and five 5-point stencils.

Both start from arrays of this process and give one; `dask.array` may keep its inputs in its workers before the clock starts,
and the better of its two chunkings counts. The engines take turns, as both want the same cores.
"""

import os
import time

import numpy as np

import kolam as ko

RUNS = 3



def stencils(x):
    for _ in range(5):
        p = ko.pad(x, 1)
        x = 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + x)
    return x


def least(call):
    taken = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


def of_ray(f, *arrays):
    from kolam import engines

    plan = ko.plan(f, *arrays, workers=2, steps=0)
    result = np.asarray(plan.run(*arrays, engine="ray"))
    seconds = least(lambda: plan.run(*arrays, engine="ray"))
    engines.close()
    return seconds, result


def of_dask(f, chunkings, *arrays):
    """The least seconds over ways to cut the arrays, and a result."""
    import dask
    import dask.array
    import distributed

    threads = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ": threads}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=60) as cluster,
        distributed.Client(cluster) as client,
    ):
        best, result = np.inf, None
        for chunks in chunkings:
            given = [client.persist(dask.array.from_array(array, chunks=own)) for array, own in zip(arrays, chunks, strict=True)]
            distributed.wait(given)
            result = f(*given).compute()
            best = min(best, least(lambda given=given: f(*given).compute()))
    return best, result


def run(row, side=4096, grid=8192):
    os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((side, side), np.float32) for _ in range(2))
    ours, theirs = of_ray(lambda x, y: x @ y, x, y)[0], of_dask(
        lambda x, y: x @ y, [(((side // 2, side), (side, side))), ((side // 2, side // 2), (side // 2, side // 2))], x, y
    )[0]
    row(f"{side}^3 f32: on Ray, times as fast as dask.array", theirs / ours, 1.15, is_most=False)
    x = random.standard_normal((grid, grid), np.float32)
    ours, one = of_ray(stencils, x)

    def five(x):
        for _ in range(5):
            x = x.map_overlap(stencil_inside, depth=1, boundary=0.0, dtype=np.float32)
        return x

    def at_once(x):  # what lies outside is not zero after the first: the rim of the grid differs
        return x.map_overlap(five_inside, depth=5, boundary=0.0, dtype=np.float32)

    chunkings = [((grid // 2, grid),), ((grid // 4, grid // 2),)]
    theirs, other = of_dask(five, chunkings, x)
    assert np.allclose(one, other, atol=1e-5)
    theirs = min(theirs, of_dask(at_once, chunkings, x)[0])
    row(f"five 5-point stencils of {grid}^2: on Ray, times as fast as dask.array", theirs / ours, 3, is_most=False)


def stencil_inside(x):
    """The points that have neighbours on all sides; a rim stays as it is, for it is cut off."""
    y = x.copy()
    y[1:-1, 1:-1] = np.float32(0.2) * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[1:-1, 1:-1])
    return y


def five_inside(x):
    for _ in range(5):
        x = stencil_inside(x)
    return x
