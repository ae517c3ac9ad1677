"""Whole Jacobians and Hessians: columns by jvp, rows by vjp, all at once or some at a time."""

from kolam import _kolam
from kolam._control import map as map_one_by_one
from kolam._derive import _chosen, _key, _numbers, _require_floats, _with_aux, linearize, vjp
from kolam._pytree import flatten, leaf_paths, unflatten
from kolam._tangents import described
from kolam._transformed import Transformed, as_array, is_float, is_list, require_function, transformed
from kolam._vmap import vmap
from kolam.errors import KolamTypeError, KolamValueError


def jacfwd(fun, argnums=0, has_aux=False, chunk=None):
    """The Jacobian of a function, column by column: fast where arguments have fewer elements than results.

    >>> import kolam as ko
    >>> ko.jacfwd(lambda x: x * x)(ko.asarray([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]

    J[i, j] = d y[i] / d x[j]: the result's dims first, then the argument's. Of pytrees it is the result's structure, with the
    argument's in place of each leaf, None for those of integers and booleans. `chunk` columns are computed at a time; all without, and
    where their number is a dynamic extent. Throws as `jvp`.
    """
    return _jacobian(fun, argnums, has_aux, chunk, "jacfwd", _columns)


def jacrev(fun, argnums=0, has_aux=False, chunk=None):
    """The Jacobian of a function, row by row: fast where results have fewer elements than arguments.

    >>> import kolam as ko
    >>> ko.jacrev(lambda x: ko.sum(x * x))(ko.asarray([1.0, 2.0])).tolist()
    [2.0, 4.0]

    As `jacfwd`; `chunk` rows at a time, all where their number is a dynamic extent. Throws as `vjp`.
    """
    return _jacobian(fun, argnums, has_aux, chunk, "jacrev", _rows)


jacobian = jacrev


def hessian(fun, argnums=0, has_aux=False, chunk=None):
    """The second derivatives of a function: `jacfwd` of `jacrev`.

    >>> import kolam as ko
    >>> ko.hessian(lambda x: ko.sum(x * x * x))(ko.asarray([1.0, 2.0])).tolist()
    [[6.0, 0.0], [0.0, 12.0]]

    H[i, j] = d^2 y / d x[i] d x[j]; `chunk` as in `jacfwd`. Throws as `vjp`.
    """
    rows = _jacobian(fun, argnums, has_aux, chunk, "hessian", _rows)
    return _jacobian(rows, argnums, has_aux, chunk, "hessian", _columns)


def _jacobian(fun, argnums, has_aux, chunk, name, make):
    require_function(fun, name)
    numbers = _numbers(argnums, name)
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
        raise KolamValueError.make(name, "bad-option", f"option 'chunk': expected a number from 1, or None, but got {chunk!r}")

    def inline(*args, **named):
        chosen = _chosen(args, numbers, name)
        _require_floats(chosen, argnums, numbers, name)
        if not isinstance(argnums, tuple | list):
            chosen = chosen[0]
        flatten(chosen, leaves := [])
        _require_arrays(name, chosen, "argument", lambda leaf: not is_list(leaf))

        def of_chosen(part):
            whole = list(args)
            for number, value in zip(numbers, part if isinstance(argnums, tuple | list) else (part,), strict=True):
                whole[number] = value
            result = fun(*whole, **named)
            _require_arrays(name, _with_aux(result, has_aux, name)[0], "result", lambda leaf: is_float(leaf) and not is_list(leaf))
            return result

        return make(of_chosen, chosen, leaves, has_aux, chunk)

    key = (name, make, _key(argnums), has_aux, chunk)
    return transformed(fun, key, lambda: Transformed(fun, inline))


def _require_arrays(name, tree, what, fits):
    """Throws unless each leaf fits what has dims in a Jacobian."""
    structure = flatten(tree, leaves := [])
    for leaf, path in zip(leaves, leaf_paths(structure, what), strict=True):
        if not fits(leaf):
            kind = "arrays of floats, as a list has no dims" if is_list(leaf) else "floats"
            raise KolamTypeError.make(name, "not-differentiable", f"{path}: expected {kind}, but got {described(leaf)}")


def _each(function, basis, chunk):
    """`function` of each slice of `basis`, stacked; all at once where only a call knows how many there are."""
    count = basis.shape[0]
    if chunk is None or not isinstance(count, int) or chunk >= count:
        return vmap(function)(basis)
    return map_one_by_one(function, basis, batch_size=chunk)


def _basis(leaf):
    """One array for each element: 1 there, 0 elsewhere."""
    count = leaf.size
    return _kolam.reshape(_kolam.eye(count, dtype=leaf.dtype), (count, *leaf.shape))


def _in_place(structure, leaves, blocks):
    """The blocks of the leaves of floats; None of the others."""
    blocks = iter(blocks)
    return unflatten(structure, iter([next(blocks) if is_float(leaf) else None for leaf in leaves]))


def _columns(function, chosen, leaves, has_aux, chunk):
    value, push, *aux = linearize(function, chosen, has_aux=has_aux)
    arguments, results = flatten(chosen, []), flatten(value, outputs := [])
    blocks = []  # by argument leaf, then result leaf
    arrays = [as_array(leaf) if is_float(leaf) else None for leaf in leaves]
    places = [place for place, leaf in enumerate(arrays) if leaf is not None]
    for place in places:
        leaf = arrays[place]

        def column(direction, place=place):
            tangents = [
                direction if other == place else None if array is None else _kolam.zeros(array.shape, dtype=array.dtype)
                for other, array in enumerate(arrays)
            ]
            flatten(push(unflatten(arguments, iter(tangents))), found := [])
            return found

        columns = _each(column, _basis(leaf), chunk)
        blocks.append(
            [_kolam.reshape(_kolam.moveaxis(block, 0, -1), (*output.shape, *leaf.shape)) for block, output in zip(columns, outputs, strict=True)]
        )
    jacobian = unflatten(results, iter([_in_place(arguments, leaves, [block[row] for block in blocks]) for row in range(len(outputs))]))
    return (jacobian, *aux) if has_aux else jacobian


def _rows(function, chosen, leaves, has_aux, chunk):
    value, pullback, *aux = vjp(function, chosen, has_aux=has_aux)
    arguments, results = flatten(chosen, []), flatten(value, outputs := [])
    found = []
    for place, output in enumerate(outputs):

        def row(direction, place=place):
            cotangents = [direction if other == place else None for other in range(len(outputs))]
            flatten(pullback(unflatten(results, iter(cotangents)))[0], gradients := [])
            return gradients

        rows = _each(row, _basis(as_array(output)), chunk)
        shapes = [as_array(leaf).shape for leaf in leaves if is_float(leaf)]
        blocks = [_kolam.reshape(block, (*output.shape, *shape)) for block, shape in zip(rows, shapes, strict=True)]
        found.append(_in_place(arguments, leaves, blocks))
    jacobian = unflatten(results, iter(found))
    return (jacobian, *aux) if has_aux else jacobian
