"""What kolam.layout.stream refuses: ops by line, with what to write instead; bad input, whose state stays."""

import threading

import numpy as np
import pytest
from stream_steps import T, array, element, ema, same

import kolam as ko
from kolam import layout


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_an_error_leaves_the_state(backend):
    f = ko.jit(lambda x: ko.cumulative_sum(ko.sqrt(x)), checks=["nan"], backend=backend)
    s = layout.stream(f, ko.zeros(T))
    s(1.0)
    before = {name: np.asarray(value).copy() for name, value in s.state.items()}
    y = np.zeros((), np.float32)
    wrong = [
        lambda: s(-1.0),
        lambda: s(-1.0, out=y),
        lambda: s.run(ko.asarray([1.0, 1.0, -1.0])),
        lambda: s.step(s.state, -1.0),
        lambda: s(ko.zeros(2)),
        lambda: s(ko.zeros((), dtype=ko.float64)),
        lambda: s(1.0, out=np.zeros(2, np.float32)),
        lambda: s(1.0, out=np.zeros((), np.float64)),
        lambda: s(1.0, out=[y, y]),
        lambda: s.run(ko.zeros((2, 2))),
    ]
    for call in wrong:
        with pytest.raises(ko.KolamError):
            call()
        for name, value in s.state.items():
            same(value, before[name])
    assert float(s(4.0)) == 3.0


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda x: x[::-1], "from its end"),
        (lambda x: x[1:], "looks ahead; give it elements 1 step later, concat([first, x[:-1]]) for x with the first 1 of your own"),
        (lambda x: ko.opaque_call(lambda v: v, [x], ((T, 4), ko.float32)), "call it on the results of steps"),
        (lambda x: ko.attention(x[None], x[None], x[None], ko.matmul(x, x.T) > 0, window=(3, 0)), "every element"),
        (lambda x: x - ko.mean(x, axis=0), "combines all elements"),
        (lambda x: ko.sort(x, axis=0), "sort"),
        (lambda x: ko.reshape(x, (T * 4,)), "reshape"),
        (lambda x: x[::2], "one of 2"),
        (lambda x: x[ko.asarray([1, 0])], "some elements"),
        (lambda x: x[0], "one element"),
        (lambda x: ko.matmul(x, ko.matrix_transpose(x)), "every element"),
        (lambda x: ko.attention(x[None], x[None], x[None]), "looks ahead"),
        (lambda x: ko.attention(x[None], x[None], x[None], causal=True), "left window"),
        (lambda x: ko.roll(x, 1, axis=0), "looks ahead"),
        (lambda x: ko.cumulative_sum(x[::-1], axis=0)[::-1], "from its end"),
        (lambda x: ko.concat([x[:-1], ko.zeros((1, 4))]) + x, "ends before"),
        (lambda x: ko.scan(lambda s, v: (s + v, s), ko.zeros(4), x)[0] + x, "last state"),
        (lambda x: ko.scan(lambda s, v: (s + v, s), ko.zeros(4), x, reverse=True)[1], "from the end"),
        (lambda x: ko.conv1d(ko.matrix_transpose(x)[None], ko.ones((4, 4, 3)), padding=1), "looks ahead"),
        (lambda x: ko.conv1d(ko.matrix_transpose(x)[None], ko.ones((4, 4, 2)), strides=2), "by 2"),
        (lambda x: ko.fori_loop(0, 100, lambda i, v: ko.cumulative_sum(v, axis=0), x), "at most 64 turns"),
        (lambda x: ko.fori_loop(0, 3, lambda i, v: v - ko.mean(v, axis=0), x), "combines all elements"),
        (lambda x: ko.cond(True, lambda x: x[::-1], lambda x: x + 1, x), "from its end"),
        (lambda x: ko.while_loop(lambda v: ko.sum(v) > 1, lambda v: v / 2, x), "whole sequences, and reduce"),
        (lambda x: x.at[:3].set(0.0), "some elements"),
    ],
)
def test_refusals(f, why):
    with pytest.raises(ValueError, match=r"\[not-streamable\]") as error:
        layout.stream(f, array(T, 4))
    assert why in str(error.value)
    assert "stream_refusals_test.py" in str(error.value)


def test_bad_input():
    f = lambda x, y: x + y
    with pytest.raises(ValueError, match=r"\[stream-axis\].*axis 2"):
        layout.stream(f, array(T, 3), array(T, 3), axis=2)
    with pytest.raises(ValueError, match=r"\[stream-axis\].*elements along axis"):
        layout.stream(lambda x, y: ko.sum(x) + y, array(T, 3), array(T + 1, 3))
    with pytest.raises(ValueError, match=r"\[stream-axis\].*'z'"):
        layout.stream(f, array(T, 3), array(T, 3), axis={"z": 0})
    with pytest.raises(TypeError, match=r"\[argument-type\].*axis"):
        layout.stream(f, array(T, 3), array(T, 3), axis="x")
    s = layout.stream(f, array(T, 3), array(T, 3))
    with pytest.raises(ValueError, match=r"\[argument-mismatch\].*'y'"):
        s(ko.zeros(3), ko.zeros(4))
    with pytest.raises(TypeError, match=r"\[call-mismatch\]"):
        s(ko.zeros(3))
    with pytest.raises(ValueError, match=r"\[argument-mismatch\]"):
        s(ko.zeros(3, dtype=ko.float64), ko.zeros(3))
    with pytest.raises(ValueError, match=r"\[argument-mismatch\]"):
        s.run(array(4, 3), array(5, 3))
    with pytest.raises(ValueError, match=r"\[output-count\]"):
        s(ko.zeros(3), ko.zeros(3), out=[np.zeros(3, np.float32)] * 2)
    with pytest.raises(ValueError, match=r"\[shape-mismatch\]"):
        s(ko.zeros(3), ko.zeros(3), out=np.zeros(4, np.float32))
    with pytest.raises(TypeError, match=r"\[dtype-mismatch\]"):
        s(ko.zeros(3), ko.zeros(3), out=np.zeros(3))
    s = layout.stream(ema, array(T, 3))
    with pytest.raises(ValueError, match=r"\[stream-state\]"):
        s.state = {}
    name = next(iter(s.initial))
    with pytest.raises(ValueError, match=r"\[stream-state\]"):
        s.step({name: ko.zeros(4)}, ko.zeros(3))


def test_streams_end_where_the_program_was_made_for_its_length():
    pairs = lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1])
    s = layout.stream(lambda x: ko.associative_scan(pairs, (x, x)), ko.zeros(8))
    assert "ends after 4096 steps" in s.explain()
    s.run(ko.zeros(4096))
    with pytest.raises(ValueError, match=r"\[stream-end\].*longer sequence"):
        s(0.0)
    key = ko.random.key(1)
    s = layout.stream(lambda x, key: x + ko.random.uniform(key, x.shape), ko.zeros((2, 4)), key, axis={"x": 1})
    assert "ends after 4 steps" in s.explain()
    s = layout.stream(lambda x: x + 0.5 * ko.concat([ko.zeros(12), x])[:8], ko.zeros(8))
    same(s.run(ko.arange(16.0))[12:], ko.asarray([12.0, 13.5, 15.0, 16.5]))
    with pytest.raises(ValueError, match=r"\[stream-axis\].*two or more"):
        layout.stream(lambda x: ko.roll(x, 1), ko.zeros(1))


def test_one_step_at_a_time():
    s = layout.stream(ema, array(T, 3))
    long = ko.zeros((400_000, 3))
    busy = []

    def run(what):
        try:
            s.run(what)
        except RuntimeError as error:
            assert "[stream-busy]" in str(error)
            busy.append(error)

    while not busy:
        thread = threading.Thread(target=run, args=(long,))
        thread.start()
        while thread.is_alive() and not busy:
            run(long[:2])
        thread.join()
