#!/usr/bin/env python3
"""Writes what editors and type checkers read of the Python package: a `.pyi` for each of its modules.

    write_stubs.py FOLDER

FOLDER holds the package `kolam` with its built module (build/python). nanobind's stubgen writes the stubs; this script adds
what it cannot know: types of parameters by their names and defaults, of results as the public headers declare them, and the
methods that arrays get when the package is imported. Hints of unknown names (`__getattr__`) are left out, so that checkers
find them.
"""

import importlib
import inspect
import keyword
import pkgutil
import re
import sys
import types
from pathlib import Path

import extract_docs
from nanobind.stubgen import StubGen

HEADERS = sorted(Path(__file__).resolve().parent.parent.glob("kolam/frontend/*/*.h"))
LIKE, ARRAY, SHAPE = "kolam._types.ArrayLike", "kolam._kolam.Array", "kolam._types.ShapeLike"
DTYPE, AXIS = "kolam._types.DTypeLike", "int | collections.abc.Sequence[int] | None"

#: Types of parameters by name.
PARAMETERS = {
    **dict.fromkeys(
        "x y z a b k key q v w p operand update start_indices condition bias weight mask logits labels indices value fill_value min "
        "max minval maxval pred index values boundaries weights segment_ids data starts init other arr".split(),
        LIKE,
    ),
    "axis": AXIS, "shape": SHAPE, "sizes": SHAPE, "dtype": f"{DTYPE} | None", "arrays": f"collections.abc.Sequence[{LIKE}]",
    "inputs": f"collections.abc.Sequence[{LIKE}]", "path": "str | os.PathLike[str]", "n": "int", "m": "int | None", "num": "int",
    "strides": "typing.Any", "padding": "typing.Any", "dilation": "typing.Any", "subscripts": "str", "text": "str", "f": "collections.abc.Callable[..., typing.Any]", "seed": LIKE,
}  # fmt: skip
#: Where one name means different things.
OF_FUNCTION = {
    ("top_k", "k"): "int", ("tril", "k"): "int", ("triu", "k"): "int", ("eye", "k"): "int", ("rot90", "k"): "int", ("tri", "k"): "int",
    ("diag", "k"): "int", ("load", "path"): "str | os.PathLike[str]", ("save", "array"): LIKE, ("astype", "dtype"): DTYPE,
    ("imm", "dtype"): DTYPE, ("bitcast", "dtype"): DTYPE, ("save_npz", "arrays"): f"collections.abc.Mapping[str, {LIKE}]",
    ("meshgrid", "arrays"): LIKE, ("broadcast_arrays", "arrays"): LIKE, ("polyval", "p"): LIKE, ("asarray", "x"): "typing.Any",
    ("einsum", "operands"): "typing.Any", ("scatter", "operand"): "typing.Any", ("scatter", "update"): "typing.Any",
    ("arange", "start"): "typing.Any", ("__getitem__", "index"): "typing.Any", ("__init__", "index"): "typing.Any", ("cond", "pred"): "typing.Any", ("zip_map_reduce", "reduce"): "typing.Any",
}  # fmt: skip
#: Results that no header declares so.
RESULTS = {
    "cache_info": "dict[str, typing.Any]", "clear_cache": "None", "load": ARRAY, "load_npz": f"dict[str, {ARRAY}]", "save": "None",
    "save_npz": "None", "top_k": f"tuple[{ARRAY}, {ARRAY}]", "parse_program": "kolam._kolam.Program", "asarray": ARRAY, "ndim": "int",
    "shape": "tuple[int, ...]", "size": "int", "einsum": ARRAY, "fromfunction": ARRAY, "scatter": "typing.Any", "split": f"tuple[{ARRAY}, ...]",
    "gradient": "typing.Any", "unravel_index": f"tuple[{ARRAY}, ...]", "divmod": f"tuple[{ARRAY}, {ARRAY}]",
    "nonzero": f"tuple[{ARRAY}, ...]", "unique": "typing.Any", "meshgrid": f"list[{ARRAY}]", "broadcast_arrays": f"list[{ARRAY}]",
    "result_type": "kolam.dtypes.DType", "unique_all": "kolam._sets.UniqueAllResult", "unique_counts": "kolam._sets.UniqueCountsResult",
    "unique_inverse": "kolam._sets.UniqueInverseResult", "isdtype": "bool", "can_cast": "bool", "finfo": "kolam._dtype_functions.FloatInfo",
    "iinfo": "kolam._dtype_functions.IntegerInfo", "as_dtype": "kolam.dtypes.DType", "set_num_threads": "None", "reduce": "typing.Any", "zip_map_reduce": "typing.Any",
}  # fmt: skip
#: C++ results as Python's.
DECLARED = {
    "Tensor": ARRAY, "Array": ARRAY, "bool": "bool", "int": "int", "int64_t": "int", "void": "None", "std::vector<Tensor>": f"tuple[{ARRAY}, ...]", "DType": "kolam.dtypes.DType",
}  # fmt: skip
#: Members of Array and Tensor; the other methods and operators give arrays.
MEMBERS = {
    "dtype": "kolam.dtypes.DType", "shape": "tuple[int, ...]", "ndim": "int", "size": "int", "nbytes": "int", "item": "typing.Any",
    "tolist": "typing.Any", "__len__": "int", "__bool__": "bool", "__int__": "int", "__float__": "float", "__index__": "int",
    "__repr__": "str", "__str__": "str", "__dlpack__": "typing.Any", "__dlpack_device__": "tuple[int, int]", "__array__": "typing.Any",
    "__iter__": f"collections.abc.Iterator[{ARRAY}]", "__contains__": "bool", "__complex__": "complex", "at": "kolam._at.IndexUpdater",
    "__divmod__": f"tuple[{ARRAY}, {ARRAY}]", "__rdivmod__": f"tuple[{ARRAY}, {ARRAY}]", "__array_namespace__": "typing.Any",
    "device": "typing.Any",
}  # fmt: skip
#: Results of other methods, by class; the rest of a class stands under None.
METHODS = {
    ("IndexUpdater", "__getitem__"): "kolam._at.Cells", ("IndexUpdater", "__repr__"): "str", ("Cells", "__repr__"): "str", ("Cells", None): ARRAY,
    ("DType", "__call__"): ARRAY, ("Jitted", "cache_size"): "int", ("Jitted", "clear_cache"): "None",
    **{(owner, "lower"): "kolam._kolam.Program" for owner in ("Jitted", "BoundJitted")},
    **{(owner, "cost"): "dict[str, typing.Any]" for owner in ("Jitted", "BoundJitted")},
    **{(owner, name): "str" for owner in ("Jitted", "BoundJitted") for name in ("explain", "as_dot", "picture", "picture_as_dot", "__repr__")},
}  # fmt: skip
#: What checkers must not see: errors in words, and the protocols of other libraries.
HIDDEN = {
    "__getattr__", "__setitem__", "__array_function__", "__array_ufunc__", "__torch_function__", "__copy__", "__deepcopy__", "__reduce__",
    "__reduce_ex__", "__delitem__", "__dir__", "__class_getitem__", "__array_interface__", "__jax_array__", "__slots__", "__dataclass_fields__", "__match_args__", "__dataclass_params__",
}  # fmt: skip
#: Types of the fields of named tuples.
TYPES_OF_FIELDS = {int: "int", float: "float", str: "str"}
#: Modules whose functions give arrays unless another result stands above.
OF_ARRAYS = ("kolam._composites", "kolam._kolam", "kolam._kolam.random", "kolam.fractal._tensors")
TYPES = "kolam._types"
IMPORTS = ("builtins", "collections.abc", "os", "typing", "kolam._at", "kolam._types", "kolam._kolam", "kolam.dtypes")
#: Variables of generic types.
VARIABLES = (
    '_Element = typing.TypeVar("_Element")', '_Result = typing.TypeVar("_Result", covariant=True)', '_P = typing.ParamSpec("_P")',
    '_Rest = typing.ParamSpec("_Rest")',
)  # fmt: skip
#: Classes that are generic.
GENERIC = {"FractalTensor": "_Element", "StaticList": "_Element", "Jitted": "_P, _Result", "BoundJitted": "_P, _Result"}
#: Methods that a class has from a base that is no part of the surface.
INHERITED = {"Jitted": ("__call__",)}
#: A function that jit made has its parameters and result, and as a method none for the instance. Several are overloads.
SIGNATURES = {
    ("Jitted", "__call__"): ["(self, *positional: _P.args, **named: _P.kwargs) -> _Result"],
    ("BoundJitted", "__call__"): ["(self, *positional: _P.args, **named: _P.kwargs) -> _Result"],
    ("Jitted", "__get__"): [
        "(self, instance: None, owner: typing.Any = None) -> Jitted[_P, _Result]",
        "(self: Jitted[typing.Concatenate[typing.Any, _Rest], _Result], instance: object, owner: typing.Any = None) -> BoundJitted[_Rest, _Result]",
    ],
    ("", "jit"): [
        "(f: collections.abc.Callable[_P, _Result], *, OPTIONS) -> Jitted[_P, _Result]", "(*, OPTIONS) -> JitDecorator",
    ],
}  # fmt: skip
#: What jit(static_argnums=0) is.
DECORATOR = """
class JitDecorator(typing.Protocol):
    def __call__(self, f: collections.abc.Callable[_P, _Result], /) -> Jitted[_P, _Result]: ...
"""


def declared_results():
    """{name of a function: its result, as the header that declares it says}."""
    return {
        function.name.split("::")[-1]: DECLARED[function.result]
        for path in HEADERS for function in extract_docs.functions(path.read_text()) if function.result in DECLARED
    }  # fmt: skip


class Stubs(StubGen):
    """The stub of one module."""

    def put(self, value, name=None, parent=None):
        if name in HIDDEN or isinstance(value, types.ModuleType) and parent is not None and name.startswith("_"):
            return
        if name == "__call__" and parent.__name__ == "IndexUpdater":  # an error in words
            return
        if name == "Tensor" and value.__module__ == self.module.__name__:
            self.write_ln("Tensor: typing.TypeAlias = Array  # a value of a traced function is used as an array is\n")
            return
        if isinstance(value, types.UnionType):
            self.write_ln(f"{name}: typing.TypeAlias = {' | '.join(part.__name__ for part in value.__args__)}\n")
            return
        if isinstance(parent, type) and isinstance(value, types.MemberDescriptorType):
            self.write_ln(f"{name}: typing.Any\n")
            return
        super().put(value, name, parent)

    def put_docstr(self, docstr):
        """A class whose instances have docstrings of their own has none here."""
        if isinstance(docstr, str):
            super().put_docstr(docstr)

    def put_function(self, fn, name=None, parent=None):
        """Methods stand in their class, also those that were given to it."""
        if isinstance(parent, type) and isinstance(fn, types.FunctionType):
            self.put_method(fn, name)
        else:
            super().put_function(fn, name, parent)

    def put_type(self, tp, name):
        """A named tuple as its fields."""
        if not hasattr(tp, "_fields") or tp.__module__ != self.module.__name__:
            super().put_type(tp, name)
            return
        self.write_ln(f"class {tp.__name__}(typing.NamedTuple):")
        self.depth += 1
        self.put_docstr(tp.__doc__)
        for field in tp._fields:
            self.write_ln(f"{field}: {TYPES_OF_FIELDS.get(tp.__annotations__.get(field), 'typing.Any')}")
        self.depth -= 1
        self.write("\n")

    def put_method(self, fn, name):
        asked = getattr(fn, "__wrapped__", fn)
        if type(asked).__name__ == "nb_func":
            signature = asked.__nb_signature__[0][0].partition("(")[2].rpartition(")")[0]
            parameters = "self, " + signature.partition(", ")[2] if ", " in signature else "self"
        else:
            parameters = self.signature_str(inspect.signature(fn)).partition("(")[2].rpartition(")")[0]
        self.write_ln(f"def {name}({parameters}):")
        self.depth += 1
        self.put_docstr(fn.__doc__) if fn.__doc__ else self.write_ln("...")
        self.depth -= 1
        self.write("\n")

    def put_property(self, prop, name):
        if isinstance(prop.fget, types.FunctionType):
            self.write_ln("@property")
            self.put_method(prop.fget, name)
        elif isinstance(prop.fget, type):  # made of the instance
            for line in ("@property", f"def {name}(self):", f"    {prop.__doc__!r}\n"):
                self.write_ln(line)
        else:
            super().put_property(prop, name)


def parameter(function, text):
    """`axis=None` as `axis: int | None = None`."""
    declared, _, fallback = text.partition("=")
    name = declared.strip().lstrip("*")
    if keyword.iskeyword(name):  # a word of C++ that Python's half names otherwise
        return f"{name}_: typing.Any"
    if ":" in declared or name in ("self", "cls", "/", "") or declared.strip() == "*":
        return text
    known = OF_FUNCTION.get((function, name)) or PARAMETERS.get(name) or type_of_default(fallback.strip())
    if fallback.strip() == "None" and not known.endswith(("None", "typing.Any")):
        known += " | None"
    return f"{declared.strip()}: {known}" + (f" = {fallback.strip()}" if fallback else "")


def type_of_default(text):
    if text in ("True", "False"):
        return "builtins.bool"
    if re.fullmatch(r"-?\d+", text):
        return "int"
    if re.fullmatch(r"-?\d*\.\d*(e-?\d+)?|\d+e-?\d+", text):
        return "float"
    return "str" if text[:1] in "'\"" and text else "typing.Any"


def result(module, owner, name, stated, results):
    if stated and stated != "object":
        return stated
    if owner in ("Array", "Tensor"):
        return MEMBERS.get(name, ARRAY)
    if found := METHODS.get((owner, name)) or name[0] != "_" and METHODS.get((owner, None)):
        return found
    if name == "__init__":
        return "None"
    if owner or module.startswith("kolam.fractal") and module not in OF_ARRAYS:
        return "typing.Any"
    return RESULTS.get(name) or results.get(name) or (ARRAY if module in OF_ARRAYS else "typing.Any")


def overloads(signatures, indent, name, given):
    """The `def` lines of a function with these signatures; `given` are its parameters as they are."""
    mark = f"{indent}@typing.overload\n" if len(signatures) > 1 else ""
    options = given.partition("*, ")[2]
    lines = [f"{mark}{indent}def {name}{text.replace('OPTIONS', options)}:" for text in signatures]
    return "\n".join([*(f"{line} ..." for line in lines[:-1]), lines[-1]])


def annotate(text, module, results):
    """The stub with types in its `def` lines."""
    lines, owner = [], ""
    for line in text.splitlines():
        if match := re.match(r"class (\w+)", line):
            owner = match[1]
        elif line and not line[0].isspace() and not line.startswith("@"):
            owner = ""
        match = re.match(r"(\s*)def (\w+)\((.*)\)(?: -> ([^:]+))?:(.*)$", line)
        if match:
            indent, name, given, stated, rest = match.groups()
            given = given.replace(": object | None", "").replace(": object", "")
            given = ", ".join(parameter(name, part) for part in extract_docs.split(given))
            found = result(module, owner, name, stated, results)
            line = f"{indent}def {name}({given}) -> {found}:{rest}"
            if signatures := SIGNATURES.get((owner, name)):
                line = overloads(signatures, indent, name, given) + rest
            if name == "__init__":
                lines += [overloads(SIGNATURES[owner, method], indent, method, "") + " ...\n" for method in INHERITED.get(owner, ())]
            if name in ("__eq__", "__ne__"):  # arrays, where object has a bool
                line += "  # type: ignore[override]"
        if (match := re.match(r"class (\w+)(?:\((.*)\))?:$", line)) and match[1] in GENERIC:
            bases = [match[2]] if match[2] and match[1] not in INHERITED else []
            line = f"class {match[1]}({', '.join([*bases, f'typing.Generic[{GENERIC[match[1]]}]'])}):"
        line = line.replace("__hash__: None = None", "__hash__ = None  # type: ignore[assignment]")
        lines.append(re.sub(r"^__all__: list =", "__all__ =", line))
    return "\n".join(lines) + "\n"


def stub(module, results):
    """The text of a module's stub."""
    writer = Stubs(module)
    writer.put(module)
    imports = "".join(f"import {name}\n" for name in IMPORTS)
    imports += "".join(f"{line}\n" for line in VARIABLES)
    if module.__name__ == "kolam.fractal":
        # Its functions on tensors are Kolam's own.
        ours = (name for name in importlib.import_module("kolam").__all__ if name not in module.__all__)
        imports += "from kolam import " + ", ".join(f"{name} as {name}" for name in ours) + "\n"
    declared = DECORATOR if module.__name__ == "kolam._jit" else ""
    return imports + annotate(writer.get(), module.__name__, results) + declared


def target(folder, module):
    """Where the stub goes: beside the module, or, of a compiled one, in a folder of its name."""
    parts = module.__name__.split(".")
    is_package = hasattr(module, "__path__") or module.__name__ == "kolam._kolam"
    return folder.joinpath(*parts, "__init__.pyi") if is_package else folder.joinpath(*parts[:-1], parts[-1] + ".pyi")


def main(folder):
    folder = Path(folder)
    sys.path.insert(0, str(folder))
    import kolam

    results = declared_results()
    names = ["kolam", "kolam._kolam.random", *(found.name for found in pkgutil.walk_packages(kolam.__path__, "kolam."))]
    for name in names:
        if name == TYPES or name.startswith("kolam.engines."):  # says itself what it means; imports what is not installed
            continue
        module = importlib.import_module(name)
        path = target(folder, module)
        path.parent.mkdir(exist_ok=True)
        path.write_text(stub(module, results))


if __name__ == "__main__":
    main(*sys.argv[1:])
