"""Borders: pads of every mode, rolls and updates of an inside, beside the interpreter, bit by bit."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits, ways_to_read

import kolam as ko

MODES = ("constant", "edge", "reflect", "wrap")
EXTENTS = (1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 40, 64, 70)
WIDTHS = (0, 1, 2, 3, 9, 20, 40)


def random_array(rng):
    rank = int(rng.integers(1, 4))
    shape = tuple(int(n) for n in rng.choice(EXTENTS, rank))
    shape = (min(shape[0], 5), *shape[1:]) if rank == 3 else shape
    dtype = rng.choice(["float32", "float64", "int32", "uint8", "float16"])
    values = rng.integers(0, 255, shape) if dtype == "uint8" else rng.normal(size=shape) * 20
    return values.astype(dtype)


def neighbours(padded, rank):
    """Elements beside one another along the first and the last axis, of an array padded by one."""
    last = tuple(slice(2, None) if axis == rank - 1 else slice(1, -1) for axis in range(rank))
    first = tuple(slice(None, -2) if axis == 0 else slice(1, -1) for axis in range(rank))
    return padded[last] - padded[first]


@pytest.mark.parametrize("seed", range(12))
def test_random_borders(seed):
    rng = np.random.default_rng(seed)
    x = random_array(rng)
    rank, mode = x.ndim, str(rng.choice(MODES))
    widths = [tuple(int(w) for w in rng.choice(WIDTHS, 2)) for _ in range(rank)]
    options = {"dynamic": {"x": list(range(rank))}} if rng.random() < 0.4 else {}
    middle = tuple(slice(1, -1) if n > 2 else slice(None) for n in x.shape)

    def read(x):
        padded = ko.pad(x, widths, mode=mode)
        return padded * 2 - 1

    def turned(x):
        padded = ko.pad(x, widths, mode=mode)
        return padded[..., ::-1] + ko.roll(padded, 3, rank - 1) + ko.concat([padded[..., 1:], padded[..., :1]], axis=rank - 1)

    def twice(x):
        once = ko.pad(x, 1, mode=mode)
        return ko.pad(once, [(1, 2)] * rank, mode=mode) + 1

    def step_by_step(x):
        return ko.fori_loop(0, 3, lambda i, state: neighbours(ko.pad(state, 1, mode=mode), rank), x)

    def inside(x):
        return x.at[middle].set(x[middle] + x[middle])

    for function in (read, turned, twice, step_by_step, inside):
        require_same_bits(function, x, may_refuse=True, **options)


def test_special_values_in_borders():
    x = np.full((4, 50), np.nan, np.float32)
    x[1], x[2], x[:, 0], x[:, -1] = np.inf, -0.0, 1e-45, -np.inf
    for mode in MODES:
        require_same_bits(lambda x, mode=mode: neighbours(ko.pad(x, 1, mode=mode), 2), x)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
def test_views_in_borders(mode, dtype):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 255, (9, 47)).astype(dtype) if dtype == "uint8" else rng.choice(specials(dtype), (9, 47))
    for read, array in ways_to_read(x):
        require_same_bits(lambda y: ko.pad(read(y), 3, mode=mode), array, moves=True)
        require_same_bits(lambda y: (neighbours(ko.pad(read(y), 1, mode=mode), 2), read(y).at[1:-1, 2:].set(read(y)[2:, :-2])), array)


@pytest.mark.parametrize("mode", MODES)
def test_borders_wider_than_the_array(mode):
    for length in (1, 2, 3, 17):
        require_same_bits(lambda x: ko.pad(x, (40, 35), mode=mode) * 3, np.arange(length, dtype=np.float32))


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_padded(mode):
    """As NumPy: of no elements only constants can be shown."""
    if mode == "constant":
        require_same_bits(lambda x: ko.pad(x, (3, 20), mode=mode), np.zeros(0, np.float32))
        return
    with pytest.raises(ko.KolamError, match="empty-dim"):
        ko.pad(np.zeros(0, np.float32), (3, 20), mode=mode)


def test_the_schedule_shows_the_parts():
    text = ko.jit(lambda x: ko.pad(x, ((0, 0), (20, 30)), mode="reflect") * 2).lower(np.zeros((64, 100), np.float32)).as_text("nests")
    assert "parts of j at 20, 120" in text


def test_parts_by_hand():
    x = np.arange(6400, dtype=np.float32).reshape(64, 100)

    def function(x):
        return ko.pad(x, ((0, 0), (20, 30)), mode="edge") * 2

    text = ko.jit(function).lower(x).as_text("nests")
    schedule = text[text.index("  ops ") :]
    for line in ("parts of j at 20, 120", "parts of j at 7", "parts of j at 1, 2, 3, 149"):
        other = schedule.replace("parts of j at 20, 120", line)
        np.testing.assert_array_equal(ko.jit(function, schedules={"nest0": other})(x), ko.jit(function)(x))
    for line, why in (
        ("parts of j at 120, 20", "lies in front of"),
        ("parts of j at 1, 2, 3, 4, 5, 6", "more than 5"),
        ("parts j at 20", "expected 'of'"),
        ("parts of j in 20", "expected 'at'"),
        ("parts of j at x y", "expected an extent"),
    ):
        with pytest.raises(ko.errors.KolamValueError, match=why) as refused:
            ko.jit(function, schedules={"nest0": schedule.replace("parts of j at 20, 120", line)})(x)
        assert "[bad-schedule]" in str(refused.value)


REDUCTIONS = {
    "all": ko.sum,
    "columns": lambda x: ko.sum(x, axis=0),
    "rows": lambda x: ko.max(x, axis=x.ndim - 1),
    "place": ko.argmax,
    "moments": lambda x: ko.stack([ko.mean(x), ko.std(x)]),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_reductions_over_borders(name, mode):
    rng = np.random.default_rng(5)
    for shape in ((1000,), (40, 70), (5, 40, 33)):
        x, rank = rng.normal(size=shape).astype(np.float32), len(shape)
        require_same_bits(lambda x: REDUCTIONS[name](x * neighbours(ko.pad(x, 1, mode=mode), rank)), x)  # noqa: B023


def test_what_is_summed_over_borders_is_computed_in_parts():
    """A row of known length has its first and last vector apart; a loop over more has no parts."""
    x = np.zeros((64, 100), np.float32)

    def nests(axis):
        return ko.jit(lambda x: ko.sum(x * neighbours(ko.pad(x, 1, mode="edge"), 2), axis=axis)).explain(x)

    assert "with 2 choices at borders" in nests(None) and "2 nests" in nests(None)
    assert "1 nest" in nests(1)


@pytest.mark.parametrize("shape, width", [((2, 20), 2), ((9, 16), 4), ((6, 10), 3)])
def test_sums_that_only_some_lanes_ask_for(shape, width):
    """Zeros between elements that are sums: lanes that lie in two rows choose, and each sums for itself."""
    x, w = np.ones(shape, np.float32), np.tile(np.arange(1, width + 1, dtype=np.float32), (shape[0], 1))
    for start, step in ((3, 5), (1, 4), (0, 5)):
        got = np.asarray(ko.jit(ko.grad(lambda x, w: ko.sum(ko.sum(w, axis=1)[:, None] * x[:, start::step])))(x, w))  # noqa: B023
        meant = np.zeros(shape, np.float32)
        meant[:, start::step] = w.sum(1)[:, None]
        np.testing.assert_array_equal(got, meant)


def updated_borders(x):
    """An inside that is new, then columns and rows, which read what was set before."""
    middle = tuple(slice(1, -1) for _ in range(x.ndim))
    x = x.at[middle].set(x[middle] * 2 - ko.roll(x, 1, 0)[middle])
    x = x.at[..., -1].set(x[..., -2] + 1)
    x = x.at[0].set(x[1])
    x = x.at[..., 2:5].set(x[..., 3:6] * 3)
    return x.at[-2:].set(0)


@pytest.mark.parametrize("shape", [(6, 9), (16, 16), (37, 70), (41, 131), (5, 18, 33), (20, 7, 40)])
def test_updates_of_borders(shape, seed):
    x = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    require_same_bits(updated_borders, x)
    require_same_bits(lambda x: ko.fori_loop(0, 3, lambda _, x: updated_borders(x) * 0.5, x), x)
    require_same_bits(lambda x: updated_borders(x[1:, ..., 2:][..., ::-1]), x)


def rows_of_two(mode):
    def padded_rows(x):
        wide = ko.pad(x, [(2, 3)] + [(1, 2)] * (x.ndim - 1), mode=mode)
        return wide + ko.concat([wide[4:], wide[:4]], axis=0) * ko.pad(wide[1:-2], [(1, 2)] + [(0, 0)] * (x.ndim - 1))

    return padded_rows


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(21, 40), (40, 9), (12, 18, 33), (9, 1, 70), (4, 17, 5, 40)])
def test_rows_inside_and_at_borders(shape, mode, seed):
    x = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    require_same_bits(rows_of_two(mode), x)
    require_same_bits(rows_of_two(mode), x, dynamic={"x": list(range(len(shape)))})


def test_rows_inside_ask_for_nothing():
    """Rows at a border have a loop of their own, and the loops inside no branches."""
    x = np.zeros((40, 70), np.float32)
    text = ko.jit(updated_borders).lower(x).as_text("nests")
    assert "parts of i0 at 1, 39" in text
