"""The options of jit, checked."""

from kolam.errors import KolamTypeError, KolamValueError


def names_of(given):
    """Names, of which one may stand alone."""
    return (given,) if isinstance(given, str) else tuple(given or ())


def places_of(option, given, parameters):
    """(names, places): the parameters at these places, counted from the end where below 0, by name; those that a `*rest`
    takes, by place. Throws `[bad-option]`."""
    if given is None:
        return (), ()
    numbers = [given] if isinstance(given, int) else given
    is_several = isinstance(numbers, list | tuple | set | frozenset | range)
    if not is_several or not all(type(number) is int for number in numbers):
        raise KolamTypeError.make("jit", "bad-option", f"argument '{option}': expected numbers of arguments, but got {given!r}")
    placed, has_rest = parameters.placed()
    names, places = [], []
    for number in numbers:
        place = number + len(placed) if number < 0 else number
        if 0 <= place < len(placed):
            names.append(placed[place])
        elif place >= 0 and has_rest:
            places.append(place)
        else:
            raise KolamValueError.make(
                "jit", "bad-option", f"argument '{option}': expected numbers of arguments of {parameters.signature}, but got {number}"
            )  # fmt: skip
    return tuple(names), tuple(places)


def symbols(name, dims):
    """{dim: (symbol, whether it was given)}; else it is made of the argument's name."""
    if isinstance(dims, int):
        dims = [dims]
    if not isinstance(dims, list | tuple | set | dict) or not all(type(dim) is int for dim in dims):
        raise bad_dynamic(f"expected dims of '{name}' as in [0] or {{0: 'n'}}, but got {dims!r}")
    if isinstance(dims, dict):
        for symbol in dims.values():
            if not isinstance(symbol, str):
                raise bad_dynamic(f"expected names for the extents of '{name}', but got {symbol!r}")
        return {dim: (symbol, True) for dim, symbol in dims.items()}
    return {dim: (f"{name}.{dim}" if dim >= 0 else f"{name}.last{-dim}", False) for dim in dims}


def dynamic_dims(dynamic):
    """{name: symbols}."""
    if not isinstance(dynamic or {}, dict):
        raise bad_dynamic(f"expected a dict from names to dims, but got {dynamic!r}")
    return {name: symbols(name, dims) for name, dims in (dynamic or {}).items()}


def bad_dynamic(message):
    """The error."""
    return KolamTypeError.make("jit", "bad-option", f"argument 'dynamic': {message}")


def kinds_of_checks(checks):
    """The kinds of checks as keyword arguments of with_checks; empty for none."""
    kinds = {"nan", "bounds"} if checks is True else set(names_of(checks or ()))
    for kind in kinds - {"nan", "bounds", "overflow"}:
        raise KolamValueError.make(
            "jit", "bad-option", f"argument 'checks': expected True or some of 'nan', 'bounds', 'overflow', but got {kind!r}"
        )  # fmt: skip
    return {kind: kind in kinds for kind in ("nan", "bounds", "overflow")} if kinds else {}


def known_order(order):
    """The order, if it is one."""
    if order not in ("auto", "sequential", "waves"):
        raise KolamValueError.make(
            "jit", "bad-option", f"argument 'order': expected 'auto', 'sequential' or 'waves', but got {order!r}"
        )
    return order


def known_schedules(schedules):
    """The texts of schedules by the names of nests."""
    schedules = {} if schedules is None else schedules
    if not isinstance(schedules, dict) or not all(isinstance(x, str) for pair in schedules.items() for x in pair):
        raise KolamTypeError.make(
            "jit",
            "bad-option",
            f"argument 'schedules': expected a dict of texts by the names of nests, as in {{'nest0': text}}, but got {schedules!r}",
        )
    return schedules


def check_backend(backend):
    """Throws `[unknown-backend]`."""
    if backend not in ("cpu", "interpret", "schedule"):
        raise KolamValueError.make(
            "jit", "unknown-backend", f"argument 'backend': expected 'cpu', 'interpret' or 'schedule', but got {backend!r}"
        )


def check_names(parameters, statics, donated, dynamic):
    """Throws `[bad-option]` for names of no parameter, and for arguments that are both static and arrays."""
    for option, names in (("static_argnames", statics), ("donate_argnames", donated), ("dynamic", dynamic)):
        for name in names:
            if not parameters.takes(name):
                raise KolamValueError.make(
                    "jit", "bad-option",
                    f"argument '{option}': expected names of {parameters.signature}, but got '{name}'",
                )
    for option, names in (("donate_argnames", donated), ("dynamic", dynamic)):
        for name in sorted(statics & set(names)):
            raise KolamValueError.make(
                "jit", "bad-option", f"argument '{option}': expected arguments that are not static, but got '{name}', which is"
            )
