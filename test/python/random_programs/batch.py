"""Runs random programs in a process of their own: a crash or a hang of compiled code ends that process, not pytest, and its
last line says which program it was."""

import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from random_programs.generator import make_program
from random_programs.programs import reproducer
from random_programs.running import Failure, Tally, digest, failure
from random_programs.shrinking import invented_results, shrink

HANG_SECONDS = 600
REPRODUCER_SECONDS = 60


@dataclass
class Report:
    """What came of a batch."""

    problem: str = ""  # text for a person; empty where all programs agree
    tally: Tally = field(default_factory=Tally)
    digests: dict = field(default_factory=dict)  # of the results, by program


def _environment(extra):
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, **extra, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def run_batch(seed, numbers, **environment):
    """Programs `numbers` (a range) of a seed."""
    bounds = [str(n) for n in (seed, numbers.start, numbers.stop, numbers.step)]
    command = [sys.executable, "-m", "random_programs.batch", *bounds]
    try:
        done = subprocess.run(command, env=_environment(environment), capture_output=True, text=True, timeout=HANG_SECONDS, errors="replace")
        status, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as expired:
        status, output, errors = None, (expired.stdout or b"").decode(errors="replace"), ""
    *lines, last = output.rstrip("\n").split("\n") if output else [""]
    if status == 0:
        summary = json.loads(last)
        return Report(summary["problem"], Tally(**summary["tally"]), summary["digests"])
    running = next((line for line in reversed([*lines, last]) if line.isdigit()), None)
    if running is None:
        return Report(f"no program ran: exit status {status}\n{output}\n{errors}")
    return Report(_crash_text(seed, int(running), status, errors, environment))


def _ending(status):
    if status is None:
        return f"no end within {HANG_SECONDS} s"
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


def _crash_text(seed, number, status, errors, environment):
    """A crash, with a program as small as it still crashes in a process of its own."""
    program = make_program(seed, number)

    def crash(smaller):
        how = _ending(_run_alone(reproducer(smaller, seed, number), environment))
        return Failure(how, how)

    if status is not None and crash(program).kind == _ending(status):
        program = shrink(program, _ending(status), crash, invented_results)
    settings = " ".join(f"{name}={value}" for name, value in environment.items())
    return f"KOLAM_SEED={seed} {settings} program {number}: {_ending(status)}\n{errors[-2000:]}\n{reproducer(program, seed, number)}"


def _run_alone(source, environment):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(source)
        file.flush()
        try:
            return subprocess.run([sys.executable, file.name], env=_environment(environment), capture_output=True, timeout=REPRODUCER_SECONDS).returncode
        except subprocess.TimeoutExpired:
            return None


def main(seed, start, stop, step):
    """Prints the number of each program before it runs, and a summary as JSON."""
    faulthandler.enable()
    report = Report()
    for number in range(start, stop, step):
        print(number, flush=True)
        program = make_program(seed, number)
        wrong = failure(program, report.tally)
        if wrong:
            smaller = shrink(program, wrong.kind)
            report.problem = f"{(failure(smaller) or wrong).text}\n\n{reproducer(smaller, seed, number)}"
            break
        report.digests[number] = digest(program)
    print(json.dumps(asdict(report)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
