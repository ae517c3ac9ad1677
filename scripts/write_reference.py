#!/usr/bin/env python3
"""Writes the reference of the Python package: every public name with its docstring, on one page by topic.

    write_reference.py OUT.md

A function of the library has the topic of the header that declares it, one of a Python module that module's.
"""

import inspect
import sys
from collections import defaultdict
from pathlib import Path

import extract_docs
import kolam

HEADERS = sorted(Path(__file__).resolve().parent.parent.glob("kolam/frontend/array/*.h"))
SUBMODULES = ("errors", "fractal", "kernels", "layout", "pytree", "random", "samba")


def header_topics():
    """{name of a function: stem of the header that declares it}."""
    return {function.name: path.stem for path in HEADERS for function in extract_docs.functions(path.read_text())}


def topic(name, thing, headers):
    if isinstance(thing, kolam.DType):
        return "dtypes"
    if inspect.isclass(thing):
        return "types"
    module = thing.__module__.removeprefix("kolam.")
    if module != "_kolam":
        return module.removeprefix("_kolam.").lstrip("_")
    return headers.get(name, "elementwise" if "result[i] =" in thing.__doc__ else "interop")


def call(name, thing):
    """`name(x, axis=None)`. The docstring of a function of the library starts with its call."""
    if type(thing).__name__ == "nb_func":
        return thing.__doc__.splitlines()[0]
    try:
        return f"{name}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        return name


def words(thing):
    text = inspect.getdoc(thing) or ""
    return text.split("\n", 1)[-1].strip() if type(thing).__name__ == "nb_func" else text.strip()


def entry(prefix, name, thing):
    yield f"### {prefix}{name}\n"
    yield f"```text\n{call(name, thing)}\n\n{words(thing)}\n```\n"
    if not inspect.isclass(thing):
        return
    for key in dir(thing):
        text = inspect.getdoc(getattr(thing, key)) or ""
        if not key.startswith("_") and text:
            yield f"- `{key}`{sentence(key, text)}"
    yield ""


def sentence(key, text):
    """A member's first line of words; nanobind puts the call above them, alone where there are none."""
    lines = [line for line in text.splitlines() if line and not line.startswith(("(self", f"{key}(self"))]
    return f": {lines[0]}" if lines else ""


def is_public(name, thing, module):
    """What a module defines itself, or the library for it; not what it imports for its own use."""
    home = getattr(thing, "__module__", None) or ""
    return not name.startswith("_") and callable(thing) and f"{home}.".startswith((f"kolam.{module}.", "kolam._kolam."))


def page():
    headers = header_topics()
    topics = defaultdict(list)
    for name, thing in sorted(vars(kolam).items()):
        if not name.startswith("_") and (callable(thing) or isinstance(thing, kolam.DType)):
            topics[topic(name, thing, headers)].append((name, thing))
    lines = [f"# The Python package `kolam` {kolam.__version__}\n", "Written by `make docs`; `help(kolam.matmul)` says the same.\n"]
    dtypes = topics.pop("dtypes")
    for module in SUBMODULES:  # these have parts of their own
        topics.pop(module, None)
    for title, names in sorted(topics.items(), key=lambda item: (item[0] != "types", item[0])):
        lines.append(f"## {title}\n")
        if title == "types":
            lines.append("Dtypes: " + ", ".join(f"`{name}`" for name, _ in dtypes) + ".\n")
        for name, thing in names:
            lines += entry("kolam.", name, thing)
    for module in SUBMODULES:
        lines.append(f"## kolam.{module}\n")
        for name, thing in sorted(vars(getattr(kolam, module)).items()):
            if is_public(name, thing, module):
                lines += entry(f"kolam.{module}.", name, thing)
    return "\n".join(lines)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page() + "\n")
