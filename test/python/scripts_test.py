"""The checks of scripts/ find what they are for, in small made-up repositories."""

import subprocess
import textwrap

import pytest

ARCHITECTURE = """
| folder of `kolam/` | holds | may include |
|---|---|---|
| `support/` | plain things. No MLIR | nothing |
| `ir/` | the dialect | support |
| `nest/` | nests | ir |
| `driver/` | the spine | all above |
| `frontend/` | the face | driver |
"""


@pytest.fixture
def repository(tmp_path):
    """Writes files into a fresh repository; returns its root."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def layers(repository, load_script, files):
    root = repository({
        "ARCHITECTURE.md": ARCHITECTURE,
        "cmake/public_headers.txt": "kolam/kolam.h\nkolam/support/**.h\nkolam/frontend/**.h\n!kolam/frontend/inner/**.h\n",
        **files,
    })
    return load_script("check_layers").problems(root)


@pytest.mark.parametrize("path, include, words", [
    ("kolam/ir/a.cpp", '"kolam/support/b.h"', None),
    ("kolam/nest/a.cpp", '"kolam/support/b.h"', None),  # through ir
    ("kolam/frontend/a.cpp", '"kolam/nest/b.h"', None),  # through driver
    ("kolam/frontend/inner/a.h", '"mlir/IR/Value.h"', None),
    ("kolam/ir/a.cpp", "<llvm/ADT/Twine.h>", None),
    ("kolam/ir/a.cpp", '"kolam/nest/b.h"', "ir/ may not include kolam/nest/b.h"),
    ("kolam/support/a.cpp", '"llvm/ADT/Twine.h"', "support/ includes llvm/ADT/Twine.h, but knows no MLIR"),
    ("kolam/frontend/a.h", '"mlir/IR/Value.h"', "a public header includes mlir/IR/Value.h"),
    ("kolam/frontend/a.h", '"kolam/driver/b.h"', "which is not public"),
    ("kolam/kolam.h", '"kolam/ir/b.h"', "which is not public"),
    ("kolam/odd/a.cpp", "<vector>", "no row in the table"),
    ("examples/a.cpp", "<kolam/kolam.h>", None),
    ("python/src/a.cpp", '"kolam/ir/b.h"', "kolam/ir/b.h is not public"),
    ("tools/kolam.cpp", '"mlir/IR/Value.h"', "sees public headers only"),
    ("tools/kolam_opt.cpp", '"kolam/nest/b.h"', None),
    ("tools/kolam_opt.cpp", '"kolam/driver/b.h"', "is not public"),
])
def test_layers(repository, load_script, path, include, words):
    found = layers(repository, load_script, {path: f"// text\n#include {include}\n"})
    assert (found == []) if words is None else (len(found) == 1 and words in found[0]), found


def test_layers_name_the_line(repository, load_script):
    found = layers(repository, load_script, {"kolam/ir/a.cpp": '\n\n#include "kolam/nest/b.h"\n'})
    assert found == ["kolam/ir/a.cpp:3: ir/ may not include kolam/nest/b.h"]


def test_size(repository, load_script):
    root = repository({
        "kolam/ir/short.cpp": "\n" * 400,
        "kolam/ir/soft.h": "\n" * 251,
        "kolam/ir/long.cpp": "\n" * 801,
        "kolam/ir/excused.cpp": "\n" * 900,
        "scripts/size_exceptions.txt": "kolam/ir/excused.cpp a table\nkolam/ir/short.cpp no need\nkolam/gone.cpp gone\n",
    })
    problems, warnings = load_script("check_size").measure(root)
    assert len(problems) == 3
    assert problems[0].startswith("kolam/ir/long.cpp: 801 lines")
    assert "short.cpp no longer needs" in problems[1] and "gone.cpp does not exist" in problems[2]
    assert warnings == ["kolam/ir/soft.h: 251 lines, better under 250"]


def test_an_exception_needs_a_reason(repository, load_script):
    root = repository({"scripts/size_exceptions.txt": "kolam/ir/a.cpp\n"})
    with pytest.raises(SystemExit, match="has no reason"):
        load_script("check_size").measure(root)


@pytest.mark.parametrize("path, good", [
    ("kolam/ir/scan.cpp", True),
    ("kolam/frontend/_kolam.py", True),
    ("kolam/ir/database.cpp", True),
    ("kolam/ir/scan_helpers.cpp", False),
    ("kolam/common/scan.cpp", False),
    ("kolam/ir/utils.h", False),
    ("kolam/ir/ScanOp.cpp", False),
])
def test_names(repository, load_script, path, good):
    assert bool(load_script("check_names").problems(repository({path: ""}))) != good


@pytest.mark.parametrize("other, good", [
    ("namespace kolam::ir {\nstruct Range {\n};\n} // namespace\n", False),
    ("namespace kolam::ir {\nenum class Range : int { a };\n} // namespace\n", False),
    ("namespace kolam::nest {\nstruct Range {\n};\n} // namespace\n", True),
    ("namespace kolam::ir {\nnamespace {\nstruct Range {\n};\n} // namespace\n} // namespace\n", True),
    ("namespace kolam::ir {\nstruct Range;\nstruct Range::State {\n};\n} // namespace\n", True),
    ("namespace kolam::ir {\nstruct Other {\n  struct Range {\n  };\n};\n} // namespace\n", True),
    ("namespace kolam::ir {\ntemplate <>\nstruct Range {\n};\n} // namespace\n", True),
])
def test_types_of_one_name(repository, load_script, other, good):
    root = repository({"kolam/ir/range.h": "namespace kolam::ir {\nstruct Range {\n  int a;\n};\n} // namespace\n", "kolam/nest/other.cpp": other})
    assert bool(load_script("check_types").problems(root)) != good


def test_mirror(repository, load_script):
    root = repository({
        "kolam/space/box.cpp": "", "kolam/space/box_text.cpp": "", "test/space/box_test.cpp": "",
        "kolam/space/map.cpp": "", "test/space/maps_test.cpp": "", "test/ir/map.mlir": "",
        "kolam/ir/work.td": 'def Kolam_ScanOp : Kolam_PureOp<"scan", [Pure]> {\n}\n'
        'def Kolam_YieldOp : Op<Kolam_Dialect, "yield", [Pure]> {\n}\ndef Kolam_ScanAttr : AttrDef<D, "Scan">;\n',
        "kolam/interp/scan.cpp": "", "test/interp/scan_reverse.mlir": "",
        "scripts/mirror_exceptions.txt": "kolam/*/yield.cpp ends a region\nkolam/space/box.cpp no need\n",
    })
    assert load_script("check_mirror").problems(root) == [
        "kolam/space/map.cpp: no test of its stem in test/space/",
        "kolam/ir/work.td: one op, one stem: 'scan' has no kolam/lower/scan.cpp",
        "scripts/mirror_exceptions.txt: kolam/space/box.cpp needs no line",
    ]


def test_errors(repository, load_script):
    root = repository({
        "kolam/ir/a.cpp": textwrap.dedent("""
            fail(ErrorKind::value,
                 "shape-mismatch", text);
            throw Error(kind, "unknown-file", "words");
            return op.emitError("[extent-overflow] too large");
            check_equal(b, f({x, y}), z, "uneven-split", text);
            issues.push_back({"space-size", subject, text});
            // fail(ErrorKind::value, "in-a-comment", text);
            fail_window("padding", text);
            void check_more(int x, int y) { check_relation(b, "equal", x, y); }
            print("not-a-slug");
        """),
        "python/kolam/a.py": 'raise KolamTypeError.make(self.__name__, "escaped-tracer", f"...")\n',
        "docs/errors.md": "# Errors\n" + "".join(
            f"## {slug}\n\n**Message** m\n**Why** w\n**Example** e\n{fix}\n"
            for slug, fix in [("shape-mismatch", "**Fix** f"), ("unknown-file", ""), ("escaped-tracer", "**Fix** f"),
                              ("uneven-split", "**Fix** f"), ("space-size", "**Fix** f"), ("never-raised", "**Fix** f")]),
        "test/error/a_test.cpp": '"shape-mismatch" "unknown-file-or-folder"',
        "test/python/a_test.py": '"[extent-overflow]" "escaped-tracer" "uneven-split" "space-size"',
    })
    assert load_script("check_errors").problems(root) == [
        "kolam/ir/a.cpp: [extent-overflow] has no entry in docs/errors.md",
        "kolam/ir/a.cpp: [unknown-file] has no test of its words in test/error or test/python",
        "docs/errors.md: [unknown-file] has no part '**Fix**'",
        "docs/errors.md: nothing raises [never-raised]",
    ]


def test_readme(repository, load_script):
    block = "<!-- {} -->\n```python\n{}```\n"
    root = repository({
        "README.md": block.format("examples/readme.py", "print(1)\n") + block.format("output of examples/readme.py", "1\n")
        + block.format("examples/readme.cpp", "int x;\n"),
        "examples/readme.py": "print(1)\n",
        "examples/readme.cpp": "int y;\n",
    })
    assert load_script("check_readme").problems(root) == [
        "README.md: examples/readme.cpp has no block of what it prints",
        "README.md: the block differs from examples/readme.cpp",
    ]


@pytest.mark.parametrize("text, names", [
    ("constexpr int64_t kBytes = 4096;", ["kBytes"]),
    ("/// Half of the cache.\nconstexpr int64_t kBytes = int64_t{1} << 20, kLines = 2;", ["kBytes"]),
    ("inline constexpr double kFlops = 2e5; // of a call", ["kFlops"]),
    ("  static constexpr UnitShape kUnit{96, 96};", ["kUnit"]),
    ("constexpr int kFew = 2;", []),
    ("constexpr int64_t kBytes = kThreads.row_bytes;", []),
    ("constexpr std::string_view kName = \"1000\";", []),
    ("/// Meaning: sums go by so many.\nconstexpr int64_t kChunk = 512;", []),
    ("/// What a search may take.\n/// Bound: of its steps.\nconstexpr int kSteps = 100, kDepth = 40;", []),
    ("/// Bounds.\nconstexpr int kSteps = 100;\nconstexpr int kDepth = 40;", []),
    ("/// Bounds.\nconstexpr int kSteps = 100;\n/// Lines.\nconstexpr int kDepth = 40;", ["kDepth"]),
    ("constexpr size_t kMostOps = 24; // size of code", []),
    ("// constexpr int kBytes = 4096;", []),
    ("bool is_wide = machine.vector_bytes == 64;", ["the width of registers beside a number"]),
    ("int lanes = machine.vector_bytes / 4;", []),
])
def test_constants(repository, load_script, text, names):
    found = load_script("check_constants").problems(repository({"kolam/nest/a.cpp": text + "\n"}))
    assert len(found) == len(names), found
    assert all(name in problem for name, problem in zip(names, found))


def test_constants_of_other_folders_and_excused_files(repository, load_script):
    text = "constexpr int64_t kBytes = 4096;\n"
    root = repository({
        "kolam/support/machine.h": text,
        "kolam/runtime/format.h": text,
        "scripts/constant_exceptions.txt": "kolam/runtime/format.h format of files\nkolam/gone.h gone\n",
    })
    assert load_script("check_constants").problems(root) == ["scripts/constant_exceptions.txt: kolam/gone.h is not there"]
