"""Entries for boxes at traced starts: dynamic_slice and dynamic_update_slice."""

from random_programs import reference as ref
from random_programs.extents import is_known, is_symbol
from random_programs.steps import Entry, Step, require


def _starts(g, x):
    """(operands, text, what gives the starts from the operands' arrays)."""
    operands, texts, parts = [], [], []
    for extent in x.dims:
        if g.chance(0.3):
            number = int(g.rng.integers(-3, 6))
            texts.append(str(number)), parts.append(number)
        else:
            start = g.places((), extent)
            texts.append(start.name), parts.append(start), operands.append(start)
    text = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    names = [v.name for v in operands]

    def starts(arrays):
        return [part if isinstance(part, int) else int(arrays[names.index(part.name)]) for part in parts]

    return operands, text, starts


def _size(g, extent):
    return int(g.rng.integers(0, min(extent, 5) + 1)) if is_known(extent) else g.pick([0, 1, 2, extent])


def _box(starts, sizes, shape):
    """The box, moved inside."""
    firsts = [min(max(start, 0), extent - size) for start, size, extent in zip(starts, sizes, shape, strict=True)]
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes, strict=True))


def _too_large(sizes, shape):
    return "shape-mismatch" if any(size > extent for size, extent in zip(sizes, shape, strict=True)) else None


def dynamic_slice():
    def make(g):
        x = g.value(most=3)
        operands, text, starts = _starts(g, x)
        sizes = [_size(g, extent) for extent in x.dims]
        size_texts = [str(n) if is_known(n) else f"{x.name}.shape[{i}]" for i, n in enumerate(sizes)]

        def sizes_at(shape):
            return [n if is_known(n) else extent for n, extent in zip(sizes, shape, strict=True)]

        return Step(
            f"ko.dynamic_slice({x.name}, {text}, ({', '.join(size_texts)}{',' if len(sizes) == 1 else ''}))", (x, *operands), x.dtype,
            tuple(sizes), lambda a: ref.widen(a[0][_box(starts(a[1:]), sizes_at(a[0].shape), a[0].shape)]),
            raises=lambda a: _too_large(sizes_at(a[0].shape), a[0].shape),
        )  # fmt: skip

    return Entry("dynamic_slice", make, 2.0)


def dynamic_update_slice():
    def make(g):
        x = g.value(most=3)
        operands, text, starts = _starts(g, x)
        sizes = [_size(g, extent) for extent in x.dims]
        require(all(is_known(n) or is_symbol(n) for n in sizes))
        fitting = [v for v in g.values if v.dtype == x.dtype and v.dims == tuple(sizes)]
        update = g.pick(fitting) if fitting and g.chance(0.5) else g.input(x.dtype, sizes)

        def expected(arrays):
            out = arrays[0].copy()
            out[_box(starts(arrays[2:]), arrays[1].shape, out.shape)] = arrays[1]
            return ref.widen(out)

        return Step(
            f"ko.dynamic_update_slice({x.name}, {update.name}, {text})", (x, update, *operands), x.dtype, x.dims, expected,
            raises=lambda a: _too_large(a[1].shape, a[0].shape),
        )  # fmt: skip

    return Entry("dynamic_update_slice", make, 2.0)


BOXES = [dynamic_slice(), dynamic_update_slice()]

