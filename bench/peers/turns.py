"""Times taken in turns, as bench/harness.cpp takes them; here for runners that are Python functions."""

import math
import os
import time

SETTLE = 0.005  # seconds: threads of the last runner go to sleep
LEAST_SAMPLE = 1e-4
FAR_BEHIND = 20  # times the fastest: what takes that long in one long call has no turns, and that call counts for each
LONG_SAMPLE = 0.1  # such calls need no warming up, and one sample of them says enough


def clock():
    """Seconds that passed, or with --cpu-time those of this process's CPUs."""
    return time.process_time() if "KOLAM_BENCH_CPU_TIME" in os.environ else time.perf_counter()


def time_calls(call, calls):
    start = clock()
    for _ in range(calls):
        call()
    return clock() - start


def calls_a_sample(seconds_a_call):
    return max(1, math.ceil(LEAST_SAMPLE / max(seconds_a_call, 1e-9)))


def take_turn(call, calls, is_long, seconds):
    """The least seconds a call took, after a sample that nobody counts."""
    time.sleep(SETTLE)
    if not is_long:
        time_calls(call, calls)
    samples = []
    while len(samples) < (1 if is_long else 2) or sum(samples) < seconds:
        samples.append(time_calls(call, calls))
    return min(samples) / calls


def measure(runners, rounds, seconds_a_turn):
    """[[seconds for each turn] for each runner]; a runner that is None has no turns."""
    prepared = []
    for call in runners:
        if call is not None:
            time_calls(call, 1)
            once = time_calls(call, 1)
            prepared.append((call, once))
        else:
            prepared.append(None)
    least = min(once for _, once in filter(None, prepared))
    times = [[] for _ in runners]
    for _ in range(rounds):
        for place, runner in enumerate(prepared):
            if not runner:
                continue
            call, once = runner
            if once >= max(LONG_SAMPLE, FAR_BEHIND * least):
                times[place].append(once)
            else:
                times[place].append(take_turn(call, calls_a_sample(once), once >= LONG_SAMPLE, seconds_a_turn))
    return times
