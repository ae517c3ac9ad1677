"""Measures block kernels beside peers, checked beside unchecked, and beside JAX's Pallas interpreter; a record a line.

`scripts/bench_kernels` calls this in the peers' virtual environment. A family is a module of this folder with `cases(ko)`,
or, where its rows are no kernels beside peers, with `measurements(run)`.
"""

import gc
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# At the end: families may have names of Python's own modules.
sys.path[:] = [path for path in sys.path if path != str(HERE)] + [str(HERE.parent / "peers"), str(HERE)]
import kernel  # noqa: E402
import numpy as np  # noqa: E402
import runners  # noqa: E402
import turns  # noqa: E402
from case import exact, require_close  # noqa: E402

NO_FAMILIES = ("main", "kernel", "children")
PARTS = ("peers", "checks", "interpreter", "pallas", "rows")
TWO_THREADS = 1.85  # times as fast as on one, where arithmetic limits a case
CHECKED, INTERPRETED = 2, 5  # times that checks may cost
PALLAS = "Pallas interpreter"  # as in bench/page.py


def families():
    return runners.modules_in(HERE, NO_FAMILIES)


class Measuring:
    """One run: the peers, how many rounds of turns of how many seconds, where records go."""

    def __init__(self, options, peers, write):
        self.peers, self.write, self.threads = peers, write, options.threads
        self.ko = peers["kolam"].ko
        self.effort = runners.effort(options)
        self.only = runners.names_in(options.peers)

    def ours(self, case, **options):
        """A call of the kernel with options of pallas_call, checked against f64."""
        ours, lib = self.peers["kolam"], kernel.KolamNames(self.ko)
        function = case.kernel(lib, lib.pallas, **options) if options else case.ours
        call = ours.call(function, case.inputs, case.weights)
        self.require_right(case, f"kolam with {options}", ours.to_numpy(call()))
        return call

    def require_right(self, case, who, found):
        if case.expected is None:
            case.expected = case.in_order(case.reference(*(exact(array) for array in case.inputs + case.weights)))
        require_close(who, found, case.expected, case.tolerance, case.outliers)

    def require_close(self, who, found, expected, tolerance=1e-5):
        require_close(who, found, expected, tolerance)

    def times(self, calls):
        return turns.measure(calls, *self.effort)

    def record(self, name, ours, peers, goal=None, **more):
        """`peers`: (name, times, whether it is judged); see bench/table.py."""
        peers = [{"name": name, "times": times, "judged": judged} for name, times, judged in peers]
        more.update({"goal": goal} if goal else {})
        self.write({"name": name, "threads": self.threads, "ours": ours, "peers": peers, **more})

    def beside_peers(self, case):
        """A row for each peer with a share to reach; the first one names the other peers too."""
        found = runners.runners_of(case, self.peers, self.only)
        calls = [runner.call for runner in found]
        names = [runner.name for runner in found]
        for name, (framework, function, inputs) in case.unmatched.items():
            names.append(name)
            calls.append(self.unmatched(framework, function, kernel.Kernel(name, inputs, None, None)))
        if self.threads > 1 and case.scales:
            names.append("one thread")
            calls.append(self.on_one_thread(calls[0]))
        times = dict(zip(names, turns.measure(calls, *self.effort), strict=True))
        ours = times.pop("kolam")
        alone = times.pop("one thread", None)
        rows = case.beside or dict.fromkeys([None])
        for place, (judged, share) in enumerate(rows.items()):
            name = case.name if len(rows) == 1 else f"{case.name}, beside {judged}"
            peers = [(peer, each, peer == judged) for peer, each in times.items() if place == 0 or peer == judged]
            self.record(name, ours, peers, share)
        if alone:
            self.record(f"{case.name}: two threads", ours, [("one thread", alone, True)], TWO_THREADS, is_own=True)

    def unmatched(self, framework, function, case):
        """A call whose result nobody compares; the function may be a source, which gives one number."""
        peer = self.peers[framework.removesuffix("-made")]
        if peer and isinstance(function, Path):
            case.source = function
            return peer.from_source(case, np.empty(1, np.float32))
        return peer and runners.made_by(framework, function)(peer, case, None)

    def on_one_thread(self, call):
        def run():
            self.ko.set_num_threads(1)
            try:
                return call()
            finally:
                self.ko.set_num_threads(self.threads)

        return run

    def with_checks(self, case):
        ours, peer = turns.measure([self.ours(case, checks=True), self.ours(case)], *self.effort)
        self.record(f"{case.name}: checked", ours, [("unchecked", peer, True)], 1 / CHECKED)

    def interpreted(self, case):
        calls = [self.ours(case, interpret=True, checks=True), self.ours(case, interpret=True)]
        ours, peer = turns.measure(calls, *self.effort)
        self.record(f"{case.name}: interpreted and checked", ours, [("interpreted", peer, True)], 1 / INTERPRETED)

    def beside_pallas(self, case):
        """JAX compiles what its interpreter makes of the kernel."""
        jax = self.peers["jax"]
        if not jax:
            return
        lib = kernel.JaxNames(jax.jax)
        function = case.kernel(lib, lib.pallas, interpret=True)
        call = jax.call(lambda _, *inputs: function(*inputs), case.inputs, case.weights)
        self.require_right(case, PALLAS, jax.to_numpy(call()))
        ours, peer = turns.measure([self.ours(case), call], min(3, self.effort[0]), self.effort[1])
        self.record(f"{case.name}: beside Pallas", ours, [(PALLAS, peer, True)])

    def parts(self, name, make):
        """(part, name of its row, sizes, function) of a case; what it has of them only the case says."""
        yield "peers", name, "full", self.beside_peers, lambda case: True
        if self.threads == 1:
            yield "checks", f"{name}: checked", "full", self.with_checks, lambda case: case.checked
            yield "interpreter", f"{name}: interpreted and checked", "small", self.interpreted, lambda case: case.checked
            yield "pallas", f"{name}: beside Pallas", "middle", self.beside_pallas, lambda case: case.pallas


def measure(found, options, peers, write):
    """Whether everything could be measured."""
    run, words, good = Measuring(options, peers, write), options.filter.split(), True

    def attempt(name, work):
        try:
            work()
            return True
        except Exception as error:
            write({"failed": name, "threads": options.threads, "why": f"{type(error).__name__}: {error}"})
            return False
        finally:
            gc.collect()

    def at_size(make):
        with kernel.sizes("small" if options.small else "full"):
            make()

    def measure_part(make, sizes, function, has):
        with kernel.sizes("small" if options.small else sizes):
            case = make()
            if has(case):
                function(case)

    for family in found:
        for name, make in family.cases(run.ko) if hasattr(family, "cases") else ():
            for part, row, *rest in run.parts(name, make):
                if part in options.parts and runners.selected(words, row):
                    good = attempt(row, lambda make=make, rest=rest: measure_part(make, *rest)) and good
        others = getattr(family, "measurements", lambda run: ())
        for name, make in others(run) if "rows" in options.parts and options.threads == 1 else ():
            if runners.selected(words, name):
                good = attempt(name, lambda make=make: at_size(make)) and good
    return good


def main():
    parser = runners.options_parser(__doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help="which rows, with commas between them")
    options, write = parser.parse_args(), runners.writer()
    options.parts = runners.names_in(options.parts)
    peers = runners.load(options)
    names = runners.frameworks.PACKAGES.items()
    write({"versions": {name: getattr(peers[package], "version", "not available") for package, name in names}})
    return 0 if measure(families(), options, peers, write) else 1


if __name__ == "__main__":
    sys.exit(main())
