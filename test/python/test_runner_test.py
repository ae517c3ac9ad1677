"""scripts/test counts right, whatever the runners do: also when they crash or run nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).parents[2] / "scripts/test"
CASE = {"name": "works", "status": "RUN", "result": "COMPLETED"}


def run(build, gtest=(), python="", lit="", arguments=()):
    """Runs the runner over stand-ins for the programs; returns exit status and last line."""
    (build / "test").mkdir(exist_ok=True)
    suites = {"gtest": [str(path) for path in gtest], "python": str(python), "lit": str(lit), "lit_suite": "suite"}
    (build / "test/suites.json").write_text(json.dumps(suites))
    ended = subprocess.run([sys.executable, RUNNER, "--build", build, *arguments], capture_output=True, text=True)
    return ended.returncode, ended.stdout.splitlines()[-1]


@pytest.fixture
def program(tmp_path):
    """Makes an executable that writes `report` to the file named by the argument that starts with `option`."""

    def make(name, option, report, status=0, printed=""):
        path = tmp_path / name
        path.write_text(f"""#!{sys.executable}
import os, sys
print({printed!r}, flush=True)
option, report, status = {option!r}, {report!r}, {status!r}
place = [a[len(option):] for a in sys.argv if a.startswith(option)] or [sys.argv[sys.argv.index("-o") + 1]]
if report is not None: open(place[0], "w").write(report)
os.kill(os.getpid(), -status) if status < 0 else sys.exit(status)
""")
        path.chmod(0o755)
        return path

    return make


def gtest(program, name, cases, **options):
    report = None if cases is None else json.dumps({"testsuites": [{"name": "Suite", "testsuite": cases}]})
    return program(name, "--gtest_output=json:", report, **options)


def test_counts_over_all_runners(tmp_path, program):
    cases = [CASE, {**CASE, "failures": [{"failure": "no"}]}, {**CASE, "result": "SKIPPED"}, {**CASE, "status": "NOTRUN"}]
    binary = gtest(program, "binary", cases, status=1)
    pytest_xml = ("<testsuites><testsuite><testcase classname='a' name='b'/><testcase classname='a' name='c'>"
                  "<failure/></testcase><testcase classname='a' name='d'><skipped message='why'/></testcase>"
                  "</testsuite></testsuites>")
    python = program("python", "--junitxml=", pytest_xml, status=1)
    tests = [{"name": name, "code": code} for name, code in [("a", "PASS"), ("b", "XFAIL"), ("c", "UNSUPPORTED")]]
    lit = program("lit", "-none", json.dumps({"tests": tests}))
    assert run(tmp_path, [binary], python, lit) == (1, "4 passed, 2 failed, 4 skipped")


def test_all_good(tmp_path, program):
    assert run(tmp_path, [gtest(program, "binary", [CASE])]) == (0, "1 passed, 0 failed")


def test_a_crash_is_a_failure(tmp_path, program):
    printed = "[ RUN      ] S.a\n[       OK ] S.a (0 ms)\n[ RUN      ] S.b"
    assert run(tmp_path, [gtest(program, "binary", None, status=-11, printed=printed)]) == (1, "1 passed, 1 failed")


def test_a_crash_after_the_report_is_a_failure(tmp_path, program):
    assert run(tmp_path, [gtest(program, "binary", [CASE], status=-6)]) == (1, "1 passed, 1 failed")


def test_a_crash_of_pytest_or_lit_is_a_failure(tmp_path, program):
    python = program("python", "--junitxml=", None, status=-11)
    lit = program("lit", "-none", None, status=2)
    assert run(tmp_path, [], python, lit) == (1, "0 passed, 2 failed")


def test_a_run_of_nothing_is_a_failure(tmp_path, program):
    assert run(tmp_path, [gtest(program, "binary", [])]) == (1, "0 passed, 1 failed")
    assert run(tmp_path) == (1, "0 passed, 1 failed")


def test_a_missing_binary_is_a_failure(tmp_path):
    assert run(tmp_path, [tmp_path / "missing"]) == (1, "0 passed, 1 failed")


def test_fast_may_leave_a_binary_without_tests(tmp_path, program):
    binaries = [gtest(program, "slow", []), gtest(program, "quick", [CASE])]
    assert run(tmp_path, binaries, arguments=["--fast"]) == (0, "1 passed, 0 failed")


def collected(part):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "test/python/hidden_terms_test.py"]
    environment = {**os.environ, "KOLAM_SEED": "7", "KOLAM_CASES_PART": part}
    output = subprocess.run(command, cwd=RUNNER.parents[1], env=environment, capture_output=True, text=True, check=True).stdout
    return [line for line in output.splitlines() if "::" in line]


def test_a_part_of_the_cases():
    whole, some = collected("1"), collected("0.3")
    assert some == collected("0.3")
    assert set(some) < set(whole) and len(some) < 0.5 * len(whole)
    first = [case for case in whole if case.startswith(whole[0].partition("[")[0])][:8]
    assert some[:8] == first
