#!/usr/bin/env python3
"""Takes the functions of public headers, with their docstrings, to where Python's bindings read them.

    extract_docs.py OUT HEADER... EXAMPLES.txt...

OUT becomes initialisers of Documented (python/src/bind.cpp), one for each function that a header declares with a `///`
comment above: name, docstring, parameters as in `x, axis=None`. The headers are the home of these words.

A file of examples (python/docstrings/) adds what Python's readers see: below the line `== name`, an example that a test
runs. Where words stand before the example, they take the place of the header's, whose own speak of C++.

    == reshape
    >>> ko.reshape(ko.arange(6), (2, -1)).tolist()
    [[0, 1, 2], [3, 4, 5]]
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

DECLARATION = re.compile(
    r"^(?P<doc>(?:///[^\n]*\n)*)"
    r"(?P<inline>(?:inline |\[\[nodiscard\]\] |template <[^\n]*>\s)*)"
    r"(?P<type>[\w:]+(?:<[^;={]*?>)?[&*]?)\s+"
    r"(?P<name>\w+)\((?P<parameters>[^;]*?)\)(?: \{|;)",
    re.M,
)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{|^\} // namespace ([\w:]+)", re.M)
DEFAULTS = {"{}": "None", "std::nullopt": "None", "false": "False", "true": "True"}


@dataclass
class Function:
    name: str  # qualified below kolam
    doc: str
    parameters: list  # "x", "axis=None"
    result: str = ""  # as C++ declares it


def split(text):
    """Splits at commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<({[") - (character in ">)}]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def default(text):
    """A C++ default as a Python expression."""
    if text in DEFAULTS:
        return DEFAULTS[text]
    if match := re.fullmatch(r"DType::(\w+)", text):
        return f"'{match[1]}'"
    if match := re.fullmatch(r"\w+::(\w+)", text):  # an enumerator goes by its name
        return f"'{match[1]}'"
    return text


def parameter(text):
    declared, _, fallback = text.partition("=")
    name = re.search(r"(\w+)\s*$", declared)[1]
    return f"{name}={default(fallback.strip())}" if fallback else name


def namespace_at(text, position):
    """The namespace below kolam that is open at a position."""
    opened = []
    for match in NAMESPACE.finditer(text, 0, position):
        opened = [*opened, match[1]] if match[1] else opened[:-1]
    return "::".join(opened).removeprefix("kolam").removeprefix("::")


def docstring(comment):
    return "\n".join(line.removeprefix("///").removeprefix(" ") for line in comment.strip().splitlines())


def functions(text):
    """The documented functions that a header's text declares; a comment serves all lines until a blank one."""
    comment, end = "", -1
    for match in DECLARATION.finditer(text):
        comment = match["doc"] or (comment if match.start() == end + 1 else "")
        end = match.end()
        if not comment:
            continue
        namespace = namespace_at(text, match.start())
        if namespace.endswith("detail") or match["type"] in ("struct", "class", "return", "operator"):
            continue
        # Python's calls carry the user's line by themselves.
        declared = [part for part in split(match["parameters"]) if not re.search(r"\bHere\b|source_location", part)]
        parameters = [parameter(part) for part in declared]
        name = f"{namespace}::{match['name']}" if namespace else match["name"]
        yield Function(name, docstring(comment), parameters, match["type"])


def examples(text):
    """{name: (words in place of the header's, example)} of a file of examples."""
    pieces = re.split(r"^== ([\w:]+)$", text, flags=re.M)
    found = {}
    for name, body in zip(pieces[1::2], pieces[2::2]):
        words, arrow, example = body.partition(">>> ")
        found[name] = (words.strip(), (arrow + example).strip())
    return found


def with_examples(functions, found):
    """The functions with their examples; a name without a header's words (a row of a table) comes alone, at the end."""
    known = {function.name for function in functions}
    for function in functions:
        words, example = found.get(function.name, ("", ""))
        yield Function(function.name, words or function.doc, function.parameters, function.result)
    for name, (words, example) in found.items():
        if example:
            yield Function(name, example if name in known else f"{words}\n\n{example}".strip(), [])


def initialiser(function):
    return f'{{"{function.name}", R"doc({function.doc})doc", R"py({", ".join(function.parameters)})py"}},\n'


def main(out, *paths):
    texts = [(Path(path), Path(path).read_text()) for path in paths]
    declared = [function for path, text in texts if path.suffix == ".h" for function in functions(text)]
    found = {name: parts for path, text in texts if path.suffix == ".txt" for name, parts in examples(text).items()}
    Path(out).write_text("".join(map(initialiser, with_examples(declared, found))))


if __name__ == "__main__":
    main(*sys.argv[1:])
