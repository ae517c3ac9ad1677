"""Makes the runners of a case, checks each against f64, times them in turns; both suites of Python use it.

bench/table.py says what a record holds.
"""

import argparse
import gc
import importlib.util
import json
import os
import sys
from dataclasses import dataclass

import frameworks
import sources
import turns
from case import exact, require_close


def modules_in(folder, without):
    """The modules of a suite's folder but these, each under a name that is no other's."""
    modules = []
    for path in sorted(folder.glob("*.py")):
        if path.stem not in without:
            spec = importlib.util.spec_from_file_location(f"{folder.name}_{path.stem}", path)
            modules.append(importlib.util.module_from_spec(spec))
            spec.loader.exec_module(modules[-1])
    return modules


@dataclass
class Runner:
    """A peer that is ready, or why it is not."""

    name: str
    call: object = None
    to_numpy: object = None


def made_by(framework, function):
    """`torch-made`: the function gives the call itself; so does that of `kolam-made`, of our side of the harness."""
    if framework == "kolam-made":
        return lambda peer, case, result: function(peer)
    if framework.endswith("-made"):
        return lambda peer, case, result: function(
            peer.torch, *(peer.tensor(array) for array in case.inputs), *(peer.tensor(array) for array in case.weights)
        )
    return lambda peer, case, result: peer.call(function, case.inputs, case.weights)


def wanted(case):
    """(name, package, a function (peer, case, our result) to the call) for each peer that can say the case."""
    if case.torch:
        yield "PyTorch", "torch", made_by("torch", case.torch)
    if case.torch and case.compiled:
        yield "torch.compile", "torch", lambda peer, case, result: peer.compiled(case.torch, case.inputs, case.weights)
    for package, function in (("jax", case.jax), ("onnxruntime", case.onnx), ("numba", case.numba)):
        if function:
            yield frameworks.PACKAGES[package], package, made_by(package, function)
    for name, (framework, function) in case.more.items():
        yield name, framework.removesuffix("-made"), made_by(framework, function)
    if case.source:
        yield from sources.peers(case.source)


def runners_of(case, peers, only=()):
    """Every peer, or those of the names, checked against f64; one that fails is not available, and says why on standard
    error.
    """
    expected = case.in_order(case.reference(*(exact(array) for array in case.inputs + case.weights)))
    values = (case.inputs, case.weights) if case.lists is None else (case.lists, [])
    kolam = peers["kolam"]
    ours = Runner("kolam", (kolam.at_once if case.at_once else kolam.call)(case.ours, *values), kolam.to_numpy)
    result = ours.to_numpy(ours.call())
    require_close(ours.name, result, expected, case.tolerance, case.outliers)
    found = [ours]
    for name, package, make in wanted(case):
        if only and name not in only:
            continue
        runner, peer = Runner(name), peers[package]
        try:
            if peer:
                call = make(peer, case, result)
                require_close(name, case.in_order(peer.to_numpy(call())), expected, case.tolerance, case.outliers)
                runner.call = call
        except Exception as error:  # whatever a peer raises
            print(f"{case.name}: {name}: {type(error).__name__}: {error}", file=sys.stderr)
        found.append(runner)
    return found


def bounds_of(case, threads):
    """(suffix of a row's name, words, seconds) to stay under, whatever the peers take."""
    if case.rate_goal:
        rate = case.rate_goal * (1 if os.environ.get("KOLAM_BENCH_ISA") == "AVX-512" else 0.5)  # of vectors of half the length
        yield "rate", f"{rate / 1e9:.0f} GFLOP/s a core", case.flops / (rate * threads)
    if case.bound:
        yield "bound", *case.bound


def records_of(case, peers, threads, effort, only=()):
    """The row of a case, after those that set it beside its share of dense work, a rate and a bound."""
    runners = runners_of(case, peers, only)
    dense = [case.dense(peers["kolam"].ko)] if case.dense else []
    times = turns.measure([runner.call for runner in runners] + dense, *effort)
    if dense:
        live = [case.live * seconds for seconds in times.pop()]
        suffix, words = ("live work", "live share of dense") if case.live < 1 else ("as dense", "dense")
        yield {
            "name": f"{case.name}: {suffix}", "threads": threads, "goal": case.live_goal, "ours": times[0],
            "peers": [{"name": words, "judged": True, "times": live}],
        }
    for suffix, words, seconds in bounds_of(case, threads):
        yield {
            "name": f"{case.name}: {suffix}", "threads": threads, "goal": 1.0, "ours": times[0],
            "peers": [{"name": words, "times": [seconds] * len(times[0])}],
        }
    record = {"name": case.name, "threads": threads, "ours": times[0], "peers": []}
    for runner, rounds in zip(runners[1:], times[1:], strict=True):
        judged = case.judged is None or runner.name in case.judged
        record["peers"].append({"name": runner.name, "judged": judged, "times": rounds})
    if case.goal:
        record["goal"] = case.goal
    if case.flops:
        record["work"] = {"flops": case.flops, "arithmetic": "f32", "reads": 0, "writes": 0}
    yield record


def names_in(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def selected(filter_words, name):
    return all(word in name for word in filter_words)


def effort(options):
    """Rounds and the seconds of a turn."""
    return (3, 0.008) if options.quick else (7, 0.025)


def measure(families, peers, options, write, goal=None):
    """Whether every case could be measured; a case without a goal has the one given."""
    names, words, good = frameworks.PACKAGES.items(), options.filter.split(), True
    write({"versions": {name: getattr(peers[package], "version", "not available") for package, name in names}})
    for family in families:
        for name, make in family.cases(peers["kolam"].ko):
            if not selected(words, name):
                continue
            try:
                case = make()
                case.goal = case.goal or goal
                for record in records_of(case, peers, options.threads, effort(options), names_in(options.peers)):
                    write(record)
            except Exception as error:
                good = False
                write({"failed": name, "threads": options.threads, "why": f"{type(error).__name__}: {error}"})
            gc.collect()
    return good


def options_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--filter", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", default="", help="names, with commas between them; all unless given")
    parser.add_argument("--small", action="store_true", help="small sizes: to see whether all is right")
    return parser


def load(options):
    """The peers that can be imported, and ours."""
    return {"kolam": frameworks.Kolam(), **frameworks.load(options.threads)}


def writer():
    """Writes a record a line. Peers print what they like: that goes to standard error."""
    records = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return lambda record: records.write(json.dumps(record) + "\n")
