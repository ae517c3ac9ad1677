"""The parameters of a jitted function: which arguments of a call are theirs, and which of them are static."""

import inspect
import itertools

from kolam._words import with_article
from kolam.errors import KolamTypeError
from kolam._pytree import flatten, leaf_paths, unflatten
from kolam._signatures import UNKNOWN, signature_of

_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Parameters:
    """Those of `function`, called `name` in errors. Static ones, which take plain values, are told by name, and by place
    where a `*rest` takes them."""

    def __init__(self, function, name):
        self.signature = _signature(function)
        self._name = name
        self._statics, self._static_places = frozenset(), frozenset()

    def make_static(self, names, places):
        """From now on these are."""
        self._statics, self._static_places = frozenset(names), frozenset(places)

    def placed(self):
        """(the names of those that arguments go to by place, whether a `*rest` takes more)."""
        parameters = self.signature.parameters.items()
        names = [name for name, parameter in parameters if parameter.kind in _PLACED]
        return names, any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for _, parameter in parameters)

    def bind(self, positional, named):
        """The arguments of a call by name. Throws `[call-mismatch]`."""
        try:
            return self.signature.bind(*positional, **named).arguments
        except TypeError as error:
            raise KolamTypeError.make(self._name, "call-mismatch", f"expected {self._name}{self.signature}: {error}") from None

    def take_statics(self, positional, named):
        """The arguments that are not static, and the statics by name or place; their defaults are filled in."""
        arguments = self.bind(positional, named)
        statics = {}
        for name in self._statics:
            if name in arguments:
                statics[name] = arguments[name]
            elif name not in self.signature.parameters:  # one that a `**rest` takes
                statics |= {name: named[name]} if name in named else {}
            elif (default := self.signature.parameters[name].default) not in (inspect.Parameter.empty, UNKNOWN):
                statics[name] = default
        for place in self._static_places:
            if place < len(positional):
                statics[place] = positional[place]
        for name, value in statics.items():
            self._require_hashable(name, value)
        rest = tuple(
            value
            for place, (name, value) in enumerate(zip(self._places(), positional))
            if name not in self._statics and place not in self._static_places
        )
        return rest, {name: value for name, value in named.items() if name not in self._statics}, statics

    def _require_hashable(self, name, value):
        try:
            hash(value)
        except TypeError:
            kind = type(value)
            hint = {list: "; write a tuple", dict: "; write a tuple of its items", set: "; write a frozenset"}.get(kind, "")
            if not hint and hasattr(value, "shape"):
                hint = "; pass it as an argument that is not static, or a tuple of its numbers"
            elif not hint and kind.__eq__ is not object.__eq__:
                hint = f"; {kind.__name__} defines __eq__, so it needs __hash__ too (a dataclass: frozen=True)"
            where = f"'{name}'" if isinstance(name, str) else name
            raise KolamTypeError.make(
                self._name, "unhashable-static",
                f"argument {where}: expected a hashable value of a static argument, but got {with_article(kind.__name__)}{hint}",
            ) from None  # fmt: skip

    def _places(self):
        """The names of the parameters that arguments by place go to, one after the other."""
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                yield from itertools.repeat(name)
            yield name

    def by_name(self, positional, named):
        """What `take_statics` left, as `BoundArguments` has it: those behind the last place are a tuple, those of no
        parameter's name a dict."""
        arguments, left, unknown = {}, list(positional), dict(named)
        for name, parameter in self.signature.parameters.items():
            if name in self._statics:
                continue
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                if left:
                    arguments[name], left = tuple(left), []
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                if unknown:
                    arguments[name] = unknown
            elif left and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                arguments[name] = left.pop(0)
            elif name in unknown and parameter.kind is not inspect.Parameter.POSITIONAL_ONLY:
                arguments[name] = unknown.pop(name)
        return arguments

    def with_statics(self, positional, named, statics):
        """The same with the statics put back, to call the function with: (positional, named)."""
        arguments = self.by_name(positional, named)
        for name, value in statics.items():
            if isinstance(name, str):
                into = arguments if name in self.signature.parameters else arguments.setdefault(self._rest_of_names(), {})
                into[name] = value
        if self._static_places:
            self._put_back(arguments, statics)
        bound = inspect.BoundArguments(
            self.signature, {name: arguments[name] for name in self.signature.parameters if name in arguments}
        )
        return bound.args, bound.kwargs

    def _rest_of_names(self):
        """The name of the `**rest`, or None."""
        kinds = ((name, parameter.kind) for name, parameter in self.signature.parameters.items())
        return next((name for name, kind in kinds if kind is inspect.Parameter.VAR_KEYWORD), None)

    def takes(self, name):
        """Whether an argument of this name has a parameter."""
        return name in self.signature.parameters or self._rest_of_names() is not None

    def with_rest(self, arguments):
        """The arguments by name, those that a `**rest` takes by their own too."""
        return arguments.get(self._rest_of_names(), {}) | arguments

    def _put_back(self, arguments, statics):
        """Into the `*rest` those that were taken out by place."""
        for at, (name, parameter) in enumerate(self.signature.parameters.items()):
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                rest = list(arguments.get(name, ()))
                for place in sorted(place for place in statics if isinstance(place, int)):
                    rest.insert(place - at, statics[place])
                arguments[name] = tuple(rest)

    def owner(self, structure, place):
        """The name of the argument that leaf number `place` of a call of this structure belongs to."""
        for name, value in self.with_rest(self.by_name(*unflatten(structure, itertools.count()))).items():
            flatten(value, places := [])
            if place in places:
                return name
        return ""

    def paths(self, structure):
        """How the caller reaches each leaf of a call of this structure: `x`, `params[0]["w1"]`."""
        first = itertools.count()

        def numbered(part):
            return part, [next(first) for _ in range(part.num_leaves)]

        positional, named = structure.parts
        placed = [numbered(part) for part in positional.parts]
        keyed = dict(zip(named.detail[1], map(numbered, named.parts), strict=True))
        paths = {}
        for name, value in self.by_name(placed, keyed).items():
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                own = [(f"{name}[{place}]", argument) for place, argument in enumerate(value)]
            else:
                own = value.items() if kind is inspect.Parameter.VAR_KEYWORD else [(name, value)]
            for path, (part, leaves) in own:
                paths.update(zip(leaves, leaf_paths(part, path), strict=True))
        return [paths.get(place, "") for place in range(next(first))]

    def by_place_and_name(self, options):
        """What `options` says of parameters by name, also by their places; None where one has no place."""
        by_place = dict.fromkeys(self._static_places)
        for place, (name, parameter) in enumerate(self.signature.parameters.items()):
            if name in options:
                if parameter.kind in _REST:
                    return None
                by_place[place] = options[name]
        return options | by_place


def _signature(function):
    """The function's parameters; those of one that does not tell go by place only."""
    try:
        return signature_of(function)
    except (SyntaxError, TypeError, ValueError):
        return inspect.signature(lambda *positional: None)
