"""What errors say of a name or a keyword that is not here: the word for it, from the tables of _names.py."""

import functools
import typing

from kolam import _names
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
    texts = {"array": (_names.MEMBERS,), "kolam.random": (_names.RANDOM,)}.get(owner, (_names.ELSEWHERE, _names.TABLE))
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
        return f"write {row.text if owner == 'array' or not _is_call(row.text) else 'kolam.' + row.text}"
    if row and row.kind in ("later", "never"):
        return f"{'not yet here' if row.kind == 'later' else 'not here'}: {row.text}"
    if owner == "array" and name in _functions():
        return f"kolam.{name}(x, ...) may be what you mean"
    near = _nearest(name, own, 0.75)
    if near:
        return f"did you mean {'x' if owner == 'array' else owner}.{near}?"
    if owner not in ("kolam", "array"):
        return f"kolam.{name} may be what you mean" if name in _functions() else hint(name, _functions())
    return ""


@functools.cache
def _functions():
    """The public names of the main module."""
    import kolam

    return frozenset(kolam.__all__)


def _is_call(text):
    """Whether the text starts with a name of the main module."""
    return text.partition("(")[0].partition(".")[0].partition(" ")[0] in _functions()


def unknown_name(owner, name, own, asked=None):
    """The error of a name that `owner` lacks, for its `__getattr__`; `asked` is what it calls itself."""
    words = "" if name.startswith("_") else hint(name, own, owner)
    return KolamAttributeError.make(asked or owner, "unknown-name", f"no attribute {name!r}" + (words and f": {words}"))


def keyword_hint(name, parameters):
    """What to write in place of the keyword `name` of a function with these parameters; empty where nothing is near."""
    if name in parameters:
        return "it goes by place"
    if name in _names.NO_KEYWORDS:
        return _names.NO_KEYWORDS[name]
    ours = _names.KEYWORDS.get(name, "")
    if ours and ours.partition("=")[0] in parameters:
        return f"write {ours}" if "=" in ours else f"write {ours}="
    near = _nearest(name, parameters, 0.6)
    return f"did you mean {near}=?" if near else ""
