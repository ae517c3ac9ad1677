"""Loops and branches on plain Python values: what those of Kolam mean."""

import builtins


def while_loop(condition, body, state):
    while condition(state):
        state = body(state)
    return state


def fori_loop(lower, upper, body, state):
    for i in builtins.range(int(lower), int(upper)):
        state = body(i, state)
    return state


def cond(pred, true_fun, false_fun, *operands):
    return true_fun(*operands) if pred else false_fun(*operands)


def switch(index, branches, *operands):
    return branches[builtins.min(builtins.max(int(index), 0), len(branches) - 1)](*operands)
