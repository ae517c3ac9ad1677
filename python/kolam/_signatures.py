"""The parameters of a function, also of one of Kolam's own in C++, which inspect does not know."""

import ast
import inspect

#: The default of a parameter where only its text is known.
UNKNOWN = type("Unknown", (), {"__repr__": lambda self: "..."})()


def signature_of(function):
    """The parameters of a function, also of one of Kolam's own in C++. Throws ValueError or TypeError where it does not tell."""
    declared = getattr(function, "__nb_signature__", ())
    return _declared(declared[0][0]) if len(declared) == 1 else inspect.signature(function)


def _declared(text):
    """The signature that `def norm(x, ord=None, /)` is."""
    parameters = []
    arguments = ast.parse(text + ": ...").body[0].args
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(placed) - len(arguments.defaults)) + arguments.defaults
    for place, (one, default) in enumerate(zip(placed, defaults, strict=True)):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if place < len(arguments.posonlyargs):
            kind = inspect.Parameter.POSITIONAL_ONLY
        parameters.append(inspect.Parameter(one.arg, kind, default=_default(default)))
    if arguments.vararg:
        parameters.append(inspect.Parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(inspect.Parameter(one.arg, inspect.Parameter.KEYWORD_ONLY, default=_default(default)))
    if arguments.kwarg:
        parameters.append(inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _default(node):
    if node is None:
        return inspect.Parameter.empty
    try:
        return ast.literal_eval(node)
    except ValueError:
        return UNKNOWN
