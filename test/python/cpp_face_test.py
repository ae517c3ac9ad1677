"""The C++ face as compilers see it: wrong programs are refused in one sentence, headers give no warnings."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRONG = sorted((ROOT / "test/package/wrong").glob("*.cpp"))
COMPILERS = ["clang++-22", "g++-12"]
MOST_LINES = 80


WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]


def compiled(compiler, *words):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    command = [compiler, "-std=c++20", "-I", str(ROOT), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    """The options by which a compiler takes kolam.h as it has read it once."""
    made = {}

    def options(compiler):
        if compiler not in made:
            folder = tmp_path_factory.mktemp(compiler)
            # Each finds what it has made beside the name of a header.
            (folder / "all.h").write_text('#include "kolam/kolam.h"\n')
            ending = "pch" if "clang" in compiler else "gch"
            run = compiled(compiler, *WARNINGS, "-x", "c++-header", folder / "all.h", "-o", folder / f"all.h.{ending}")
            assert run.returncode == 0, run.stderr[:4000]
            made[compiler] = ["-include", folder / "all.h"]
        return made[compiler]

    return options


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("program", WRONG, ids=lambda path: path.stem)
def test_refuses_wrong_programs_in_one_sentence(program, compiler, header):
    expected = re.match(r"// error: (.*)", program.read_text()).group(1)
    run = compiled(compiler, *header(compiler), "-fsyntax-only", program)
    assert run.returncode != 0
    lines = run.stderr.splitlines()
    first = next(line for line in lines if "error" in line)
    assert "static assertion failed" in first, first
    assert re.search(expected, first), first
    assert len(lines) <= MOST_LINES


def public_headers():
    kept, away = set(), set()
    for line in (ROOT / "cmake/public_headers.txt").read_text().splitlines():
        pattern = line.lstrip("!").replace("**.h", "**/*.h")
        if line and not line.startswith("#"):
            (away if line[0] == "!" else kept).update(ROOT.glob(pattern))
    return sorted(path.relative_to(ROOT) for path in kept - away)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_public_headers_give_no_warnings(compiler, tmp_path):
    program = tmp_path / "all.cpp"
    program.write_text("".join(f'#include "{header}"\n' for header in public_headers()))
    run = compiled(compiler, *WARNINGS, "-fsyntax-only", program)
    assert run.returncode == 0, run.stderr[:4000]


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("program", sorted((ROOT / "examples").glob("cpp/*.cpp")), ids=lambda path: path.stem)
def test_programs_of_the_page_give_no_warnings(program, compiler, header):
    run = compiled(compiler, *WARNINGS, *header(compiler), "-fsyntax-only", program)
    assert run.returncode == 0, run.stderr[:4000]
