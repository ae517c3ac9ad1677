"""Two products back to back, D = (A B) C, over lists of blocks: no row of A B is ever kept as a whole.

    P = sum over k of A[m][k] B[n][k]        one block of A B
    D[m][p] = sum over n of P C[p][n]

A is a list of rows of blocks; B and C are lists of columns of blocks.
"""

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from side_by_side import main


def product_of_blocks(rows, columns):
    """The sum of the products of blocks."""
    return ops.reduce(ops.add, ops.map(lambda blocks: blocks[0] @ blocks[1], ops.zip(rows, columns)))


@ko.jit
def back_to_back_matmuls(a, b, c):
    """D: [rows of blocks][columns of blocks] of blocks."""

    def row(a_row):
        ab_row = ops.map(lambda b_column: product_of_blocks(a_row, b_column), b)
        return ops.map(lambda c_column: product_of_blocks(ab_row, c_column), c)

    return ops.map(row, a)


def back_to_back_matmuls_with_numpy(a, b, c):
    results = []
    for a_row in a:
        ab_row = [sum(x @ y for x, y in zip(a_row, b_column)) for b_column in b]
        results.append([sum(x @ y for x, y in zip(ab_row, c_column)) for c_column in c])
    return results


def inputs(m=2048, n=512, k=256, p=64, block=64, seed=0):
    draw = Draw(seed)

    def blocks(lists, length):
        return draw.tensors(lists // block, length // block, leaf=(block, block))

    return blocks(m, k), blocks(n, k), blocks(p, n)


if __name__ == "__main__":
    main(back_to_back_matmuls, back_to_back_matmuls_with_numpy, inputs)
