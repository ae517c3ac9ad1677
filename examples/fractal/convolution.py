"""Convolution and batch norm of images of different sizes: windows of rows, and in each of them windows of pixels.

    y[i][j] = sum over r, s of image[i stride + r dilation - padding][j stride + s dilation - padding] filter[r][s]
    batch norm: (y - mean) / sqrt(variance + 1e-5), over all pixels of all images

An image is a list of rows, a row a list of pixels [channels]; a filter is as large as a window, of matrices [channels,
filters]. Outside the image lie zeros.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import len
from side_by_side import main

SIZE, STRIDE, DILATION, PADDING = 7, 2, 2, 6


def add_lists(xs, ys):
    return ops.map(lambda pair: pair[0] + pair[1], ops.zip(xs, ys))


def dot(pixels, weights):
    return ops.reduce(ops.add, ops.map(lambda pair: pair[0] @ pair[1], ops.zip(pixels, weights)))


def convolve(image, filter):
    blank = ops.repeat(ops.zeros(*image.leaf_shape), len(image[0]))
    border = ops.repeat(blank, PADDING)

    def row_part(pair):
        row, weights = pair
        return ops.map(dot, ops.slide(row, SIZE, STRIDE, DILATION, PADDING), weights=weights)

    def row(window):
        return ops.reduce(add_lists, ops.map(row_part, ops.zip(window, filter)))

    return ops.map(row, ops.slide(ops.join(border, image, border), SIZE, STRIDE, DILATION))


def total(xs):
    """The sum of all leaves of nested lists."""
    return ops.reduce(ops.add, xs if xs.depth == 1 else ops.map(total, xs))


def batch_norm(ys):
    count = total(ops.forall(lambda y: ops.ones(1), ys))
    mean = total(ys) / count
    variance = total(ops.forall(lambda y: (y - mean) ** 2, ys)) / count
    return ops.forall(lambda y: (y - mean) / ops.sqrt(variance + 1e-5), ys)


@ko.jit
def convolution(images, filter):
    """[image][row][pixel] of [filters]."""
    return batch_norm(ops.map(convolve, images, filter=filter))


def convolution_with_numpy(images, filter):
    weights = np.array(filter)
    reach = DILATION * (SIZE - 1) + 1
    results = []
    for image in images:
        x = np.pad(image, ((PADDING, PADDING), (PADDING, PADDING), (0, 0)))
        rows, columns = ((extent - reach) // STRIDE + 1 for extent in x.shape[:2])
        y = np.empty((rows, columns, weights.shape[-1]), np.float32)
        for i in range(rows):
            for j in range(columns):
                window = x[i * STRIDE :, j * STRIDE :][:reach:DILATION, :reach:DILATION]
                y[i, j] = np.einsum("rsc,rscf->f", window, weights)
        results.append(y)
    pixels = np.concatenate([y.reshape(-1, y.shape[-1]) for y in results])
    mean, variance = pixels.mean(axis=0), pixels.var(axis=0)
    return [list(map(list, (y - mean) / np.sqrt(variance + 1e-5))) for y in results]


def inputs(batch=3, channels=3, filters=11, smallest=16, largest=32, seed=0):
    draw = Draw(seed)
    heights, widths = draw.lengths(batch, smallest, largest), draw.lengths(batch, smallest, largest)
    return (
        draw.tensors(batch, heights, np.repeat(widths, heights), leaf=(channels,)),
        draw.tensors(SIZE, SIZE, leaf=(channels, filters)),
    )


if __name__ == "__main__":
    main(convolution, convolution_with_numpy, inputs)
