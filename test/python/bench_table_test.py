"""The arithmetic of the benchmark's table, on made-up times."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "bench/table.py"
LIMITS = {
    "flops": {"f32": 100e9, "bf16": 200e9, "i8": 400e9},
    "read": {"l2": 400e9, "l3": 100e9, "memory": 40e9},
    "copy": {"l2": 200e9, "l3": 80e9, "memory": 20e9},
    "l2_bytes": 1e6,
    "l3_bytes": 32e6,
}


@pytest.fixture(scope="module")
def table():
    spec = importlib.util.spec_from_file_location("bench_table", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def work(flops=0, reads=0, writes=0, arithmetic="f32", footprint=0):
    return {"flops": flops, "reads": reads, "writes": writes, "arithmetic": arithmetic, "footprint": footprint}


def peer(name, times, judged=True):
    return {"name": name, "judged": judged, "times": times}


def record(name="case", threads=1, ours=(2.0,), peers=(), **rest):
    return {"name": name, "threads": threads, "ours": list(ours), "peers": list(peers), "limits": LIMITS, **rest}


def test_ratio_is_of_the_least_times(table):
    assert table.ratio([4, 2, 8], [9, 3, 3]) == 1.5


def test_paired_ratio_is_the_median_of_the_turns(table):
    assert table.paired_ratio([1, 2, 4], [3, 2, 2]) == 1  # 3, 1, 1/2
    with pytest.raises(ValueError):
        table.paired_ratio([1, 2], [1])


@pytest.mark.parametrize("amount, place", [
    (work(reads=0.75e6), "l2"),
    (work(reads=0.5e6, writes=0.26e6), "l3"),
    (work(reads=0.1e6, footprint=20e6), "l3"),
    (work(reads=25e6), "memory"),
])
def test_level_is_the_innermost_that_holds_the_case(table, amount, place):
    assert table.level(amount, LIMITS) == place


@pytest.mark.parametrize("amount, seconds", [
    (work(reads=40e9), 1),  # all read
    (work(reads=10e9, writes=10e9), 1),  # a copy
    (work(reads=50e9, writes=10e9), 2),  # a copy, and 40 GB read
    (work(flops=300e9, reads=40e9), 3),  # arithmetic is longer
    (work(flops=300e9, arithmetic="i8"), 0.75),
])
def test_least_seconds_are_the_longer_of_arithmetic_and_memory(table, amount, seconds):
    assert table.least_seconds(amount, LIMITS) == pytest.approx(seconds)


def test_row_takes_the_fastest_judged_peer(table):
    peers = [peer("slow", [4, 5]), peer("fast", [3, 4]), peer("shown", [1, 1], judged=False), peer("absent", [])]
    row = table.make_row(record(ours=[2, 4], peers=peers, goal=1.6, work=work(flops=100e9)))
    assert (row.peer, row.ratio, row.paired, row.reached) == ("fast", 1.5, 1.25, False)
    assert row.others == [("slow", 4), ("shown", 1), ("absent", None)]
    assert row.share == 0.5
    assert "absent not available" in table.others_line(row)


@pytest.mark.parametrize("goal, reached", [(1.5, True), (1.51, False), (None, None)])
def test_goal_is_reached_at_the_ratio(table, goal, reached):
    rest = {} if goal is None else {"goal": goal}
    assert table.make_row(record(peers=[peer("p", [3])], **rest)).reached is reached


def test_nothing_is_judged_without_a_peer(table):
    row = table.make_row(record(peers=[peer("p", [])], goal=1))
    assert (row.peer, row.ratio, row.reached) == (None, None, None)


def two_threads(table, ours, amount):
    records = [
        record(threads=1, ours=[2], peers=[peer("p", [2])], goal=0.5, work=amount),
        record(threads=2, ours=[ours], peers=[peer("p", [1])], goal=0.5, work=amount),
    ]
    return table.make_rows(records)[1]


def test_two_threads_are_held_against_the_peer_on_one(table):
    row = two_threads(table, 2, work(flops=1e9))
    assert (row.ratio, row.over_one, row.goal, row.reached) == (0.5, 1, 0.9, True)
    assert two_threads(table, 4, work(flops=1e9)).reached is False


def test_two_threads_have_no_goal_where_memory_limits(table):
    row = two_threads(table, 2, work(flops=1, reads=1e9))
    assert (row.over_one, row.goal, row.reached) == (None, None, None)


@pytest.mark.parametrize("seconds, text", [(2, "2 s"), (0.0012346, "1.235 ms"), (5e-6, "5 us"), (5e-7, "500 ns"), (None, "not available")])
def test_durations(table, seconds, text):
    assert table.duration(seconds) == text


@pytest.mark.parametrize("amount, text", [
    (work(flops=4e9, reads=1), "2 GFLOP/s"),
    (work(flops=1, reads=3e9, writes=1e9), "2.0 GB/s"),
    (work(), ""),
])
def test_rate_is_in_what_there_is_more_of(table, amount, text):
    assert table.rate(amount, 2) == text


NOTES = """# reasons
matmul f32 *:
  the weights are packed
    in every call.
lists: softmax 1x2:
  one sentence: with a colon.
"""


def test_notes_are_joined_to_rows_by_name(table):
    notes = table.read_notes(NOTES)
    assert table.notes_of("matmul f32 8x8x8", notes) == ["the weights are packed in every call."]
    assert table.notes_of("lists: softmax 1x2", notes) == ["one sentence: with a colon."]
    assert table.notes_of("lists: softmax 1x22", notes) == []


@pytest.mark.parametrize("text, words", [("  indented", "line 1: a sentence of no note"), ("a name: and more", "line 1: expected")])
def test_malformed_notes_are_refused(table, text, words):
    with pytest.raises(ValueError, match=words):
        table.read_notes(text)


def test_notes_and_rows_that_lack_each_other(table):
    short = table.make_row(record("short", peers=[peer("p", [1])], goal=1))
    good = table.make_row(record("good", peers=[peer("p", [3])], goal=1))
    notes = table.read_notes("good:\n  why?\ngone:\n  left over.")
    assert table.missing_notes([short, good], notes) == ["short"]
    assert table.stale_notes([short, good], notes) == ["gone"]
    assert table.markdown_notes([short, good], notes) == "- **short**: no reason is known yet."


def test_markdown_has_a_cell_for_every_column(table):
    rows = [table.make_row(record(peers=[peer("p", [3])], goal=1, work=work(flops=100e9)))]
    lines = table.markdown_table(rows).splitlines()
    assert len({text.count("|") for text in lines}) == 1
    assert lines[2] == "| case | 1 | 2 s | p | 3 s | 1.50 | 1.50 |  | 1.00 | yes | 50% | 50 GFLOP/s |"
    narrow = [table.make_row(record(peers=[peer("p", [5])]))]
    lines = table.markdown_table([*rows, table.make_row(record("other"))], narrow).splitlines()
    assert len({text.count("|") for text in lines}) == 1
    assert lines[2].endswith("| 50 GFLOP/s | 2 s | p | 5 s | 2.50 |")
    assert lines[3].endswith("|  |  |  |  |  |")


def test_programs_together_have_goals(table):
    def rows(*ratios):
        return [table.make_row(record(f"p{i}", ours=[1.0], peers=[peer("a", [ratio])])) for i, ratio in enumerate(ratios)]

    assert table.summary(rows(2, 2, 1 / 3)) == [
        "3 programs with threads = 1: our time over the best peer's has the geometric mean 0.91 (at most 0.9: no); "
        "2 within 1.25, 67% (11 of 12: no); above 2: 1: p2."
    ]
    assert table.summary(rows(*[2] * 11, 0.6))[0].endswith("(at most 0.9: yes); 11 within 1.25, 92% (11 of 12: yes); above 2: 0.")


def test_kolam_on_one_thread_is_a_peer_on_two(table):
    made = table.make_row(record(threads=2, ours=[1.0], peers=[peer("one thread", [1.9])], goal=1.85, is_own=True))
    assert (made.ratio, made.goal, made.reached, made.over_one) == (1.9, 1.85, True, None)


@pytest.mark.parametrize("number, text", [(2**20, "1 MiB"), (3 * 2**19, "1.5 MiB"), (2**19, "512 KiB"), (None, "not available")])
def test_bytes(table, number, text):
    assert table.amount(number, "B") == text


def test_the_mean_beside_a_peer_is_geometric(table):
    rows = [table.make_row(record(ours=[1.0], peers=[peer(name, [seconds])])) for name, seconds in (("a", 10), ("a", 1000), ("b", 7))]
    assert table.mean_beside(rows, "a", 100) == "a, 2 cases: its time over ours has the geometric mean 100; the goal is 100: yes."
    assert table.mean_beside(rows, "c", 100) == ""
