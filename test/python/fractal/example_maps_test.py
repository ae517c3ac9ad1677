"""The access maps that `explain` shows of the reference's models as the examples write them."""

import importlib
import re

import pytest
from examples_test import FOLDER, SIZES

# Of each model the blocks of its nest: what is read, part by part, after accesses, zips and products are composed.
MAPS = {
    # h and c of the step before, h of the layer below, a weight for each layer.
    "stacked_lstm": """
block b1: map i0 < L0, fold i1 < L1, scan i2 < L2
  reads b0.0[data0(i0, i2)] | b1.1[i0][i1 - 1][i2], layers[0][i1], b1.1[i0][i1][i2 - 1], layers[1][i1], layers[2][i1], b1.0[i0][i1][i2 - 1]
""",
    # state_x, state_y, then x_t and y_t of the layer below: the outer scan goes over the target, the inner over the source.
    "grid_rnn": """
block b2: map i0 < L0, fold i1 < L3, scan i2 < L2, scan i3 < L1
  reads b2.0[i0][i1][i2 - 1][i3], b2.1[i0][i1][i2][i3 - 1], rnn_params[0][0][i1], \
b0.0[i0][i3][data0(i0, i3)] | b2.0[i0][i1 - 1][i2][i3], rnn_params[0][1][i1], rnn_params[0][2][i1], rnn_params[1][0][i1], \
b1.0[i0][i2][data1(i0, i2)] | b2.1[i0][i1 - 1][i2][i3], rnn_params[1][1][i1], rnn_params[1][2][i1]
""",
    # Both products as a map and a reduction without an initial value, whose first element is b0.0[i0][i1][0].
    "back_to_back_matmuls": """
block b0: map i0 < L0, map i1 < L1, map i2 < L2
  reads a[i0][i2], b[i1][i2]
block b1: map i0 < L0, map i1 < L1, reduce i2 < L2 - 1
  reads b0.0[i0][i1][0] | b1.0[i0][i1][i2 - 1], b0.0[i0][i1][i2 + 1]
block b2: map i0 < L0, map i1 < L4, map i2 < L1
  reads b1.0[i0][i2][L2 - 2] | b0.0[i0][i2][0], c[i1][i2]
block b3: map i0 < L0, map i1 < L4, reduce i2 < L1 - 1
  reads b2.0[i0][i1][0] | b3.0[i0][i1][i2 - 1], b2.0[i0][i1][i2 + 1]
""",
    # A middle row reads the window around it, the first and the last blocks, and those that were drawn.
    "bigbird": """
block b6: map i0 < L0, map i1 < max(0, L1 - 4), fold i2 < L3 + 2*min(1, L2) + 3
  reads keys[i0][(i1 + i2 + 1) mod L2] | keys[i0][i2 - 3] | keys[i0][L2 + i2 - 5] | \
keys[i0][data0(i0, i1, i2 - 2*min(1, L2) - 3)], \
queries[i0][i1 + 2], b6.0[i0][i1][i2 - 1], b6.1[i0][i1][i2 - 1], b6.2[i0][i1][i2 - 1], \
values[i0][(i1 + i2 + 1) mod L2] | values[i0][i2 - 3] | values[i0][L2 + i2 - 5] | \
values[i0][data1(i0, i1, i2 - 2*min(1, L2) - 3)]
""",
    # Each layer reads the strided rows of the one below where that left them.
    "dilated_lstm": """
block b0: map i0 < L0, map i1 < 1, scan i2 < max(0, L1 - i1)
  reads batch[i0][i1 + i2], layers[0][0], b0.1[i0][i1][i2 - 1], layers[0][1], layers[0][2], b0.0[i0][i1][i2 - 1]
block b1: map i0 < L0, map i1 < 2, scan i2 < ceildiv(max(0, L1 - i1), 2)
  reads b0.1[i0][0][i1 + 2*i2], layers[1][0], b1.1[i0][i1][i2 - 1], layers[1][1], layers[1][2], b1.0[i0][i1][i2 - 1]
block b2: map i0 < L0, map i1 < 4, scan i2 < ceildiv(max(0, L1 - i1), 4)
  reads b1.1[i0][(i1) mod 2][floordiv(i1, 2) + 2*i2], layers[2][0], b2.1[i0][i1][i2 - 1], layers[2][1], layers[2][2], b2.0[i0][i1][i2 - 1]
""",
}


@pytest.mark.parametrize("name", MAPS)
def test_maps_of_examples(name, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    example = importlib.import_module(name)
    program = getattr(example, name)
    text = program.explain(*example.inputs(**SIZES[name]))
    found = dict(re.findall(r"^block (b\d+): (.*\n  reads .*)$", text, re.MULTILINE))
    expected = dict(re.findall(r"^block (b\d+): (.*\n  reads .*)$", MAPS[name], re.MULTILINE))
    assert expected
    assert {block: found[block] for block in expected} == expected
