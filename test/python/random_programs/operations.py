"""The table of operations that random programs are made of: one entry for each function, with its NumPy equivalent.

An entry's `make(g)` picks operands from the generator and returns a Step, or raises Unfit where nothing fits. A step is a line
of Python over `ko`, so that a program prints as its own reproducer, and a reference over the operands' arrays.
"""

import numpy as np
from random_programs import cells
from random_programs import reference as ref
from random_programs.attention import ATTENTION
from random_programs.boxes import BOXES
from random_programs.chance import CHANCE
from random_programs.contractions import CONTRACTIONS
from random_programs.convolutions import convolution
from random_programs.creation import CREATION
from random_programs.einsums import einsum
from random_programs.identities import IDENTITIES
from random_programs.loops import LOOPS
from random_programs.moves import MOVES
from random_programs.norms import NORMS
from random_programs.order import ORDER
from random_programs.patterns import PATTERNS
from random_programs.pieces import PIECES
from random_programs.places import PLACES
from random_programs.sums import SUMS
from random_programs.windows import WINDOWS


def _tanh_gelu(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def table(rows):
    """Every entry, given the rows of the elementwise table."""
    by_cell = [cells.elementwise(row) for row in rows]
    by_cell += [
        cells.activation("relu", lambda x: np.maximum(x, 0), 0),
        cells.activation("sigmoid", lambda x: 1 / (1 + np.exp(-x)), 4),
        cells.activation("silu", lambda x: x / (1 + np.exp(-x)), 4),
        cells.activation("softplus", lambda x: np.logaddexp(x, 0), 4),
        cells.activation("gelu", lambda x: x / 2 * (1 + ref.ERF(x / np.sqrt(2))), 4),
        cells.activation("gelu", _tanh_gelu, 16, ", approximate='tanh'"),
        cells.with_number(rows), cells.casting(), cells.bitcast(), cells.clip(), cells.select(), cells.with_extent(), cells.nextafter(),
        cells.positive(),
    ]  # fmt: skip
    return [
        *by_cell, *MOVES, *PIECES, *SUMS, *CONTRACTIONS, einsum(), convolution(), *NORMS, *ATTENTION, *ORDER, *PLACES, *BOXES, *WINDOWS, *PATTERNS,
        *LOOPS, *CHANCE, *CREATION, *IDENTITIES,
    ]  # fmt: skip
