"""Extents of random programs: numbers, or Python expressions over the symbols that a call binds."""


def is_known(*dims):
    return all(isinstance(dim, int) for dim in dims)


def is_symbol(dim):
    """Whether an input may have this extent and no number."""
    return isinstance(dim, str) and dim.isidentifier()


def extent_at(dim, sizes):
    return dim if isinstance(dim, int) else int(eval(dim, {}, sizes))


def shape_at(dims, sizes):
    return tuple(extent_at(dim, sizes) for dim in dims)


def plus(*dims):
    return sum(dims) if is_known(*dims) else f"({' + '.join(str(dim) for dim in dims)})"


def times(*dims):
    known = 1
    for dim in dims:
        known *= dim if is_known(dim) else 1
    unknown = [dim for dim in dims if not is_known(dim)]
    if not unknown or known == 0:
        return known
    factors = unknown if known == 1 else [str(known), *unknown]
    return factors[0] if len(factors) == 1 else f"({' * '.join(factors)})"


def quotient_up(dim, divisor):
    return -(-dim // divisor) if is_known(dim) else f"-(-{dim} // {divisor})"


def sliced(dim, item):
    """How many cells a slice takes."""
    if is_known(dim):
        return len(range(*item.indices(dim)))
    return dim if item == slice(None) else f"len(range(*{item}.indices({dim})))"


def most_cells(dims):
    """The number of cells, symbols at their largest."""
    sizes = {"n": 20, "m": 20}
    cells = 1.0
    for dim in dims:
        cells *= extent_at(dim, sizes)
    return cells
