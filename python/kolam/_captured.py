"""What a Python function reads beside its arguments: the variables that it captures, and globals by name."""

import functools
import types

_NOTHING = object()


class Captured:
    """The values that a function, and functions of its package among them, read when it was traced.

    Containers and objects count as what they are, whatever changes in them.
    """

    __slots__ = ("_cells", "_globals")

    def __init__(self, function):
        self._cells, self._globals = [], []
        root = _code_of(function)
        seen, waiting = set(), [root]
        while waiting:
            one = _code_of(waiting.pop())
            if one is None or id(one) in seen or _package(one) != _package(root):
                continue
            seen.add(id(one))
            waiting += [*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values()]
            for cell in one.__closure__ or ():
                value = _content(cell)
                self._cells.append((cell, value))
                waiting.append(value)
            space = one.__globals__
            for name in _names(one.__code__):
                if name in space:
                    self._globals.append((space, name, space[name]))
                    waiting.append(space[name])

    def is_unchanged(self):
        """Whether all of them are the same objects still."""
        for cell, value in self._cells:
            if _content(cell) is not value:
                return False
        for space, name, value in self._globals:
            if space.get(name, _NOTHING) is not value:
                return False
        return True


def _code_of(value):
    """The function that a user wrote, behind wrappers; None for what is none."""
    while not isinstance(value, types.FunctionType):
        if isinstance(value, types.MethodType):
            value = value.__func__
        elif isinstance(value, functools.partial):
            value = value.func
        elif callable(value) and not isinstance(value, type) and "__wrapped__" in getattr(value, "__dict__", ()):
            value = value.__wrapped__
        else:
            return None
    return value


def _package(function):
    return (function.__module__ or "").split(".")[0]


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _NOTHING


def _names(code):
    """The names that code may look up among globals; also those of attributes."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
