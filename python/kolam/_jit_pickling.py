"""How jitted functions are pickled.

One that a module holds under its function's name, as a decorated function is, goes by that name, and comes back as the
same object. Others are their function and options, made again: the function as the pickler at hand takes functions, which
for pickle is by name, and for cloudpickle by value. A decorated function of `__main__` goes by name too, but for
cloudpickle, whose readers have another `__main__`.
"""

import functools
import sys


def reduce_jitted(jitted, cls):
    """The answer of `__reduce__`."""
    module, name = getattr(jitted, "__module__", None), getattr(jitted, "__qualname__", None)
    state = (jitted._function, jitted._options)
    if _held_by(module, name) is not jitted:
        return _new, (cls,), state
    if module != "__main__" and module not in _pickled_by_value():
        return name
    if (main := vars(jitted).get("_of_main")) is None:
        main = jitted._of_main = OfMain(module, name, cls, state)
    return _resolved, (main,)


class OfMain:
    """A decorated function of `__main__`; each has one of these, so that functions that call themselves have an end."""

    def __init__(self, module, name, cls, state):
        self._module, self._name, self._cls, self._state = module, name, cls, state

    def __reduce__(self):
        if "cloudpickle" in sys.modules:
            _teach(sys.modules["cloudpickle"])
        return _held_by, (self._module, self._name)

    def by_value(self):
        """As cloudpickle takes it."""
        return _new, (self._cls,), self._state


def _teach(cloudpickle):
    cloudpickle.CloudPickler.dispatch_table.setdefault(OfMain, OfMain.by_value)


def _pickled_by_value():
    cloudpickle = sys.modules.get("cloudpickle")
    if cloudpickle is None:
        return ()
    _teach(cloudpickle)
    return cloudpickle.list_registry_pickle_by_value()


def _held_by(module, name):
    """What a module holds under a name; None where there is no such thing."""
    if not module or not name or "<locals>" in name:
        return None
    try:
        return functools.reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _new(cls):
    return cls.__new__(cls)


def _resolved(found):
    return found
