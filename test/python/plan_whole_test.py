"""What plans run whole, or at all costs: calls of the host, lists, checks."""

import numpy as np
import pytest
from plan_programs import expect_plans
from plan_programs import small_integers as floats

import kolam as ko
from kolam import fractal as ops
from kolam._plan import _random_plan


def expect_replayed_plans(f, *args):
    plans = expect_plans(f, *args)
    assert all(plan.check(f, *args) == [] for plan in plans)
    return plans[0]


def test_a_function_of_the_host_runs_whole():
    def turn(a):
        return np.asarray(a)[::-1].copy()

    def f(x):
        return ko.relu(ko.opaque_call(turn, [x + 1], (x.shape, ko.float32))) @ x.T

    plan = expect_replayed_plans(f, floats(8, 5))
    assert "whole, as it calls functions of the host" in plan.explain()


def test_functions_of_the_host_run_in_order_where_nobody_reads_what_they_give():
    seen = []

    def f(x):
        ko.debug.callback(lambda a: seen.append(float(np.sum(np.asarray(a)))), x)
        y = x * 2
        ko.debug.callback(lambda a: seen.append(-float(np.sum(np.asarray(a)))), y)
        return y

    x = floats(6, 4)
    plans = [ko.plan(f, x, workers=4, steps=0), *(_random_plan(f, x, workers=4, seed=seed) for seed in range(4))]
    for plan in plans:
        seen.clear()
        plan.run(x)
        assert seen == [float(x.sum()), -2 * float(x.sum())]


def test_a_function_of_the_host_runs_once_however_many_read_it():
    calls = []

    def host(a):
        calls.append(1)
        return np.asarray(a) + 1

    def f(x):
        y = ko.opaque_call(host, [x], (x.shape, ko.float32))
        return y @ y.T, ko.exp(y)

    x = floats(8, 5)
    plan = ko.plan(f, x, workers=4, steps=0)
    calls.clear()
    plan.run(x)
    assert len(calls) == 1


LISTS = {
    "map": lambda x: ops.stack(ops.map(lambda r: ops.fold(lambda t, v: t + v, ops.unbind(r), initializer=np.float32(0)), ops.unbind(x))) * 2,
    "scan": lambda x: ops.stack(ops.scan(lambda s, r: s * 0.5 + r, ops.unbind(x @ x.T), initializer=np.zeros(8, np.float32))) + 1,
    "filter": lambda x: ko.sum(ops.stack(ops.filter(lambda r: ko.sum(r) > 0, ops.unbind(x))), axis=0) * 3,
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_inside_of_a_program_are_made_whole(name):
    plan = expect_replayed_plans(LISTS[name], floats(8, 5))
    assert "it takes or gives lists" in plan.explain()


def test_checks_belong_to_pieces():
    f = ko.jit(lambda x: ko.log(x) @ ko.fori_loop(0, 3, lambda i, s: ko.sqrt(s * 2), x).T, checks=True)
    x = np.abs(floats(8, 5)) + 1
    expect_replayed_plans(f, x)
    x[5, 2] = -1
    for plan in [ko.plan(f, x, workers=4, steps=0), *(_random_plan(f, x, workers=4, seed=seed) for seed in range(5))]:
        with pytest.raises(ko.KolamError, match=r"\[nan-created\] (log|sqrt): .*; in a task of"):
            plan.run(x)


def test_checks_of_what_nobody_reads_are_made():
    def f(x):
        ops.fold(lambda t, v: t + v, ops.unbind(x), initializer=np.float32(0))
        y = ko.reshape(ops.stack(ops.filter(lambda v: v > 0, ops.unbind(x))), (3,))
        return ko.sum(y)

    x = np.float32([1, -1, 2, 3])
    expect_replayed_plans(f, x)
    plan = ko.plan(f, x, workers=2, steps=0)
    with pytest.raises(ko.KolamError, match=r"\[shape-mismatch\]"):
        plan.run(-x)


def test_results_whose_extents_data_decide_are_refused():
    with pytest.raises(ko.KolamError, match=r"\[not-cut\] expected a program that can be cut, but .*extents of plans are numbers"):
        ko.plan(lambda x: ko.nonzero(x)[0], floats(5), steps=0)
