"""What errors say of a name or a keyword that is not here: the word for it, from the tables of _names.py."""

import functools
import re
import typing

from kolam import _keywords, _names, pytree
from kolam import errors
from kolam.errors import KolamAttributeError


class Row(typing.NamedTuple):
    """A name of another library and what becomes of it: `kind` is here, written, later or never."""

    name: str
    kind: str
    text: str


def _rows(text):
    for line in text.strip().splitlines():
        name, _, rest = line.partition(" ")
        mark, _, words = rest.strip().partition(" ")
        yield Row(name, {"": "here", "=": "written"}.get(mark, mark), words.strip())


@functools.cache
def table():
    """The rows of jax.numpy and the array API."""
    return tuple(_rows(_names.TABLE))


@functools.cache
def _known(owner):
    """The rows that are asked for what `owner` lacks, by name."""
    texts = {"array": (_names.MEMBERS,), "list": (_names.LISTS,), "kolam.random": (_names.RANDOM,), "x.at[index]": ()}
    texts = texts.get(owner, (_names.ELSEWHERE, _names.TABLE))
    return {row.name: row for text in texts for row in _rows(text)}


def _nearest(name, own, likeness):
    """The name most like it, or None."""
    import difflib  # only errors need it

    return next(iter(difflib.get_close_matches(name, own, 1, likeness)), None)


def hint(name, own, owner="kolam"):
    """What to write in place of `name`, as a sentence that errors end in; empty where nothing is near.

    `own` are the names that there are; `owner` is what was asked: a module, or "array" for methods and attributes.
    """
    row = _known(owner).get(name)
    if row and row.kind == "written":
        return f"write {row.text if owner in _VALUES else _of_kolam(row.text)}"
    if row and row.kind in ("later", "never"):
        return f"{'not yet here' if row.kind == 'later' else 'not here'}: {row.text}"
    if owner == "array" and name in _functions():
        return f"kolam.{name}(x, ...) may be what you mean"
    if owner == "list" and (found := _of_lists(name)):
        return found
    if owner == "array" and name.endswith("_") and (found := _in_place(name[:-1], own)):
        return found
    if owner == "kolam" and name in errors.__all__:
        return f"write kolam.errors.{name}"
    near = _nearest(name, own, 0.75)
    if near:
        return f"did you mean {_VALUES.get(owner, owner)}.{near}?"
    if owner == "kolam.tree" and f"tree_{name.removeprefix('tree_')}" in pytree.__all__:
        return f"write kolam.pytree.tree_{name.removeprefix('tree_')}"
    if owner in ("kolam.random", "kolam.fractal", "kolam.samba"):
        return f"kolam.{name} may be what you mean" if name in _functions() else hint(name, _functions())
    return ""


#: What stands for a value of these owners in hints.
_VALUES = {"array": "x", "list": "xs"}


def _of_lists(name):
    """A function on lists, or one of arrays for each element; None where there is neither."""
    from kolam import fractal

    if name in fractal.__all__:
        return f"write fractal.{name}(f, xs)" if name in _TAKE_A_FUNCTION else f"write fractal.{name}(xs, ...)"
    if name in _functions() or hasattr(fractal.Tensor, name):
        each = f"kolam.{name}(x)" if name in _functions() else f"x.{name}"
        return f"a list of arrays has none: write fractal.map(lambda x: {each}, xs)"
    return None


#: Functions on lists whose first argument is a function.
_TAKE_A_FUNCTION = "map filter filterall fold foldl foldr forall reduce scan scanl scanr dilated_map".split()


def _in_place(name, own):
    """What to write for PyTorch's function that changes its array; None where there is no such function."""
    row = _known("array").get(name) or _known("kolam").get(name)
    if row and row.kind == "written":
        return f"an array never changes: write x = {row.text if 'kolam.' in row.text else _of_kolam(row.text)}"
    if name in own:
        return f"an array never changes: write x = x.{name}(...)"
    return f"an array never changes: write x = kolam.{name}(x, ...)" if name in _functions() else None


@functools.cache
def _functions():
    """The public names of the main module."""
    import kolam

    return frozenset(kolam.__all__)


def _of_kolam(text):
    """The text with `kolam.` before the functions of the main module, and before such a name where it starts with one."""
    prefixed = lambda found: f"kolam.{found[0]}" if found[0].partition(".")[0] in _functions() else found[0]
    return re.sub(r"^\w+\b(?=$|[ .])|(?<![\w.])(?:random\.)?\w+(?=\()|\binf\b", prefixed, text)


def unknown_name(owner, name, own, asked=None):
    """The error of a name that `owner` lacks, for its `__getattr__`; `asked` is what it calls itself."""
    words = "" if name.startswith("_") else hint(name, own, owner)
    return KolamAttributeError.make(asked or owner, "unknown-name", f"no attribute {name!r}" + (words and f": {words}"))


def keyword_hint(name, parameters):
    """What to write in place of the keyword `name` of a function with these parameters; empty where nothing is near."""
    if name in parameters:
        return "it goes by place"
    if name in _keywords.NO_KEYWORDS:
        return _keywords.NO_KEYWORDS[name]
    ours = _keywords.KEYWORDS.get(name, "")
    if ours and ours.partition("=")[0] in parameters:
        return f"write {ours}" if "=" in ours else f"write {ours}="
    near = _nearest(name, parameters, 0.6)
    return f"did you mean {near}=?" if near else ""
