"""StaticList: lists whose length an annotation says, checked when a function is called."""

import inspect
import types
import typing

from kolam import _kolam
from kolam._words import with_article
from kolam.errors import KolamTypeError, KolamValueError
from kolam._pytree import flatten


class StaticList:
    """StaticList[T, n]: an annotation for a list of n values of type T, such as the parameters of layers.

    A function that `jit` made takes such arguments of that length alone, and its program knows the length. Lists are
    Python's, tuples, or a FractalTensor. Throws `[list-lengths]` for another length.
    """

    def __class_getitem__(cls, arguments):
        if not isinstance(arguments, tuple) or len(arguments) != 2 or type(arguments[1]) is not int or arguments[1] < 0:
            raise KolamTypeError.make(
                "StaticList", "argument-type", f"expected StaticList[T, n] for lists of n elements, but got {arguments!r}"
            )
        return types.GenericAlias(cls, arguments)


def static_lists(function):
    """The parameters of a function that are annotated so: {name: annotation}."""
    try:
        annotations = inspect.get_annotations(function, eval_str=True)
    except Exception:  # names that stand for nothing here; the others are what they are
        annotations = getattr(function, "__annotations__", {})
    return {
        name: annotation
        for name, annotation in annotations.items()
        if name != "return" and typing.get_origin(annotation) is StaticList
    }


def check_length(function, path, annotation, value):
    """Throws `[list-lengths]` unless `value` is as long as its annotation says, and so are its elements.

    Of a traced list the run looks at the outermost length. True for a FractalTensor.
    """
    element, length = typing.get_args(annotation)
    if not hasattr(value, "__len__") or hasattr(value, "shape") or isinstance(value, dict | str):
        raise KolamTypeError.make(
            function, "not-a-list",
            f"argument '{path}': expected a list of {length}, as its annotation says, but got {with_article(type(value).__name__)}",
        )  # fmt: skip
    flatten(value, leaves := [])
    is_tensor = hasattr(value, "parts")
    if is_tensor and any(isinstance(leaf, _kolam.TracedList) for leaf in leaves):
        _kolam._list_require(
            _kolam.equal(_kolam._list_length(leaves[0]), length), "list-lengths",
            f"argument '{path}': expected a list of {length}, as its annotation says, but got another length", function,
        )  # fmt: skip
        return True
    if len(value) != length:
        raise KolamValueError.make(
            function, "list-lengths",
            f"argument '{path}': expected a list of {length}, as its annotation says, but got one of {len(value)}",
        )  # fmt: skip
    if typing.get_origin(element) is StaticList:
        for i in range(length):
            check_length(function, f"{path}[{i}]", element, value[i])
    return is_tensor
