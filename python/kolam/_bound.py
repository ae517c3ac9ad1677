"""A jitted function as a method of an instance."""

import functools
import types


class BoundJitted:
    """`instance.method` where `jit` made the method: calls pass the instance first."""

    __slots__ = ("__func__", "__self__", "__weakref__")

    def __init__(self, function, instance):
        self.__func__, self.__self__ = function, instance

    def __call__(self, *positional, **named):
        return self.__func__(self.__self__, *positional, **named)

    @property
    def __doc__(self):
        return self.__func__.__doc__

    @property
    def __wrapped__(self):
        return types.MethodType(self.__func__.__wrapped__, self.__self__)

    def lower(self, *positional, **named):
        """As `lower` of the function, with the instance first; so the others."""
        return self.__func__.lower(self.__self__, *positional, **named)

    def explain(self, *positional, **named):
        """The loop nests of that program, and with `measure=True` what they take."""
        return self.__func__.explain(self.__self__, *positional, **named)

    def cost(self, *positional, **named):
        """Flops, bytes, arena bytes and nests of that program, by name."""
        return self.__func__.cost(self.__self__, *positional, **named)

    def as_dot(self, *positional, **named):
        """The graph of that program's ops in graphviz's language."""
        return self.__func__.as_dot(self.__self__, *positional, **named)

    def picture(self, kind, /, *positional, **named):
        """A picture of that program, as text."""
        return self.__func__.picture(kind, self.__self__, *positional, **named)

    def picture_as_dot(self, kind, /, *positional, **named):
        """The same in graphviz's language."""
        return self.__func__.picture_as_dot(kind, self.__self__, *positional, **named)

    def _tune(self, positional, named, budget):
        return self.__func__._tune((self.__self__, *positional), named, budget)

    def __getattr__(self, name):  # cache_size, clear_cache, __name__, __doc__, ...
        return getattr(self.__func__, name)

    def __eq__(self, other):
        return isinstance(other, BoundJitted) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self):
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self):
        return f"<bound {self.__func__!r} of {self.__self__!r}>"

    def __reduce__(self):
        return functools.partial(getattr, self.__self__, self.__func__.__name__), ()
