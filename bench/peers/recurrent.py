"""Recurrent networks as programs on lists, beside loops over steps."""

import itertools

import numpy as np
from case import Case, floats
from sizes import size


def stacked(layers, parts):
    """The weights of each layer, `parts` arrays a layer."""
    return [layers[i : i + parts] for i in range(0, len(layers), parts)]


def draw_layers(depth, *shapes):
    """Depth times an array of each shape, uniform with the spread that keeps states of order 1."""
    seeds = itertools.count(10)
    return [floats(next(seeds), *shape) * np.float32(shape[0] ** -0.5) for _ in range(depth) for shape in shapes]


def as_list(ko, array, levels):
    """The cells of the leading dims as lists; what follows is a leaf."""
    shape, count = array.shape[:levels], 1
    offsets = []
    for extent in shape[:-1]:
        offsets.append(np.arange(count + 1) * shape[len(offsets) + 1])
        count *= extent
        offsets[-1] = np.arange(count + 1) * shape[len(offsets)]
    return ko.fractal.FractalTensor.from_offsets(array.reshape(-1, *array.shape[levels:]), *offsets)


# LSTM: arrays are [step][sequence][hidden], ours lists [sequence][step] of [1, hidden].


def lstm_cell(ko, state, x, weights):
    h, c = state
    w, u, b = weights
    i, f, g, o = ko.split(x @ w + h @ u + b, 4, axis=1)
    c = ko.sigmoid(f) * c + ko.sigmoid(i) * ko.tanh(g)
    return ko.sigmoid(o) * ko.tanh(c), c


def lstm_layer(ko, sequence, weights):
    ops = ko.fractal
    zero = ops.zeros(1, sequence.leaf_shape[1])
    cell = lambda state, x: lstm_cell(ko, state, x, weights)
    return ops.scan(cell, sequence, initializer=(zero, zero))[0]


def stacked_lstm(ko, batch, layers):
    ops = ko.fractal
    layer = lambda sequence, weights: lstm_layer(ko, sequence, weights)
    return ops.map(lambda sequence: ops.fold(layer, layers, initializer=sequence), batch)


def dilated_lstm(ko, batch, layers, depth):
    ops = ko.fractal

    def encode(sequence):
        for d in range(depth):
            weights = ops.index(layers, d)
            sequence = ops.dilated_map(lambda row: lstm_layer(ko, row, weights), sequence, dilation=2**d)
        return sequence

    return ops.map(encode, batch)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numpy_lstm(x, w, u, b):
    """One layer over x in f64."""
    h = c = np.zeros_like(x[0])
    states = []
    for step in x:
        i, f, g, o = np.split(step @ w + h @ u + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.stack(states)


def torch_lstm(torch, x, w, u, b):
    """One layer as a loop, the product with the input before it."""
    gates = x @ w + b
    h = c = torch.zeros_like(x[0])
    states = []
    for step in gates:
        i, f, g, o = torch.addmm(step, h, u).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    return torch.stack(states)


def jax_lstm(jax, x, w, u, b):
    """One layer by lax.scan, the product with the input before it."""

    def cell(state, gates):
        h, c = state
        i, f, g, o = jax.numpy.split(gates + h @ u, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jax.numpy.tanh(g)
        h = jax.nn.sigmoid(o) * jax.numpy.tanh(c)
        return (h, c), h

    zero = jax.numpy.zeros(x.shape[1:], x.dtype)
    return jax.lax.scan(cell, (zero, zero), x @ w + b)[1]


def through(layer, dilated=False):
    """layer(framework, x, w, u, b) one above the other; with dilations 1, 2, 4 ... of the steps."""

    def run(framework, x, *layers):
        for d, weights in enumerate(stacked(layers, 3)):
            x = by_rows(framework, x, 2**d, lambda rows: layer(framework, rows, *weights)) if dilated else layer(
                framework, x, *weights
            )
        return x

    return run


def by_rows(framework, x, dilation, layer):
    """Every `dilation`-th step: the rows side by side as one batch, padded at the end."""
    steps, batch, hidden = x.shape
    rounds = -(-steps // dilation)
    missing = rounds * dilation - steps
    numbers = getattr(framework, "numpy", framework)  # jax.numpy
    zeros = numbers.zeros((missing, batch, hidden), dtype=x.dtype)
    join = framework.cat if hasattr(framework, "cat") else numbers.concatenate
    rows = join([x, zeros], 0).reshape(rounds, dilation * batch, hidden)
    return layer(rows).reshape(rounds * dilation, batch, hidden)[:steps]


def nn_lstm(torch, layers, **options):
    """torch.nn.LSTM of these weights."""
    hidden = len(layers[0])
    module = torch.nn.LSTM(hidden, hidden, len(layers) // 3, **options).eval()
    with torch.no_grad():
        for number, (w, u, b) in enumerate(stacked(layers, 3)):
            getattr(module, f"weight_ih_l{number}").copy_(w.T)
            getattr(module, f"weight_hh_l{number}").copy_(u.T)
            getattr(module, f"bias_ih_l{number}").copy_(b)
            getattr(module, f"bias_hh_l{number}").zero_()
    return module


def nn_lstm_call(torch, x, *layers, **options):
    module = nn_lstm(torch, layers, **options)

    def call():
        with torch.no_grad():
            return module(x)[0]

    return call


def nn_lstm_by_rows(torch, x, *layers):
    modules = [nn_lstm(torch, weights) for weights in stacked(layers, 3)]

    def call():
        with torch.no_grad():
            y = x
            for d, module in enumerate(modules):
                y = by_rows(torch, y, 2**d, lambda rows: module(rows)[0])
            return y

    return call


def lstm_case(ko, name, depth, steps, batch, hidden, goal, dilated=False):
    x = floats(1, steps, batch, hidden)
    layers = draw_layers(depth, (hidden, 4 * hidden), (hidden, 4 * hidden), (4 * hidden,))
    parameters = ko.fractal.FractalTensor([(w, u, b[None]) for w, u, b in stacked(layers, 3)])
    ours = (lambda b, p: dilated_lstm(ko, b, p, depth)) if dilated else lambda b, p: stacked_lstm(ko, b, p)
    return Case(
        name, [x], weights=layers, goal=goal, compiled=False, tolerance=1e-4,
        lists=[as_list(ko, x.swapaxes(0, 1)[:, :, None].copy(), 2), parameters], ours=ours,
        in_order=lambda array: array.swapaxes(0, 1).reshape(batch * steps, 1, hidden),
        reference=lambda x, *layers: through(lambda _, *given: numpy_lstm(*given), dilated)(np, x, *layers),
        torch=through(torch_lstm, dilated), jax=through(jax_lstm, dilated),
        more={"nn.LSTM": ("torch-made", nn_lstm_by_rows if dilated else nn_lstm_call)},
        flops=2 * depth * steps * batch * 2 * hidden * 4 * hidden,
    )


# Grid RNN: arrays are [target][source][pair][hidden], ours lists [pair][target][source] of [1, hidden].


def grid_cell(ko, state, inputs, layer):
    ops = ko.fractal
    _, left = state
    above, (x, y) = inputs
    h = ops.cat(above, left, axis=1)
    return tuple(ops.tanh(h @ w + z @ u + b) for z, (w, u, b) in zip((x, y), layer, strict=True))


def grid_layer(ko, grid, layer):
    """The states of a layer over the states (x, y) of the one below: a scan over rows of scans over cells."""
    ops = ko.fractal
    first, _ = ops.first(grid)
    zero = ops.zeros(1, first.leaf_shape[1])

    def row(state, inputs):
        above, _ = state
        cell = lambda state, inputs: grid_cell(ko, state, inputs, layer)
        return ops.scan(cell, ops.zip(above, ops.zip(*inputs)), initializer=(zero, zero))

    zeros = ops.repeat(zero, ops.len(first))
    return ops.zip(*ops.scan(row, grid, initializer=(zeros, zeros)))


def grid_rnn(ko, sources, targets, layers):
    ops = ko.fractal
    layer = lambda grid, weights: grid_layer(ko, grid, weights)
    pair = lambda pair: ops.zip(*ops.fold(layer, layers, initializer=ops.zip(*ops.product(*pair))))
    return ops.map(pair, ops.zip(sources, targets))


def crossed(numbers, sources, targets):
    """x and y of the first layer: each word of one sentence beside each of the other."""
    shape = (targets.shape[0], *sources.shape)
    return numbers.broadcast_to(sources[None], shape), numbers.broadcast_to(targets[:, None], shape)


def numpy_grid(sources, targets, *layers):
    x, y = crossed(np, sources, targets)
    for wx, ux, bx, wy, uy, by in stacked(layers, 6):
        hx, hy, zero = np.empty_like(x), np.empty_like(x), np.zeros_like(sources[0])
        for i, j in np.ndindex(x.shape[:2]):
            h = np.concatenate((hx[i - 1, j] if i else zero, hy[i, j - 1] if j else zero), 1)
            hx[i, j] = np.tanh(h @ wx + x[i, j] @ ux + bx)
            hy[i, j] = np.tanh(h @ wy + y[i, j] @ uy + by)
        x, y = hx, hy
    return np.stack((x, y))


def torch_grid(torch, sources, targets, *layers):
    """Loops over rows and cells, the products with the inputs before them."""
    x, y = crossed(torch, sources, targets)
    zero = torch.zeros_like(sources[0])
    for wx, ux, bx, wy, uy, by in stacked(layers, 6):
        x, y = x @ ux + bx, y @ uy + by
        above, hxs, hys = [zero] * len(sources), [], []
        for i in range(len(targets)):
            left, row = zero, []
            for j in range(len(sources)):
                h = torch.cat((above[j], left), 1)
                left = torch.tanh(torch.addmm(y[i, j], h, wy))
                row.append(torch.tanh(torch.addmm(x[i, j], h, wx)))
                hys.append(left)
            above = row
            hxs += row
        x, y = (torch.stack(states).view_as(x) for states in (hxs, hys))
    return torch.stack((x, y))


def jax_grid(jax, sources, targets, *layers):
    """A scan over rows of scans over cells, the products with the inputs before them."""
    zero, zeros = jax.numpy.zeros_like(sources[0]), jax.numpy.zeros_like(sources)
    x, y = crossed(jax.numpy, sources, targets)
    for wx, ux, bx, wy, uy, by in stacked(layers, 6):

        def cell(left, inputs):
            above, x, y = inputs
            h = jax.numpy.concatenate((above, left), 1)
            states = jax.numpy.tanh(x + h @ wx), jax.numpy.tanh(y + h @ wy)
            return states[1], states

        def row(above, inputs):
            states = jax.lax.scan(cell, zero, (above, *inputs))[1]
            return states[0], states

        x, y = jax.lax.scan(row, zeros, (x @ ux + bx, y @ uy + by))[1]
    return jax.numpy.stack((x, y))


def grid_case(ko, name, depth, extent, batch, hidden, goal, rate):
    sources, targets = floats(1, extent, batch, hidden), floats(2, extent, batch, hidden)
    layers = draw_layers(depth, *((2 * hidden, hidden), (hidden, hidden), (hidden,)) * 2)
    parameters = [((wx, ux, bx[None]), (wy, uy, by[None])) for wx, ux, bx, wy, uy, by in stacked(layers, 6)]
    lists = [as_list(ko, array.swapaxes(0, 1)[:, :, None].copy(), 2) for array in (sources, targets)]
    return Case(
        name, [sources, targets], weights=layers, goal=goal, compiled=False, tolerance=1e-4,
        lists=[*lists, ko.fractal.FractalTensor(parameters)], ours=lambda *given: grid_rnn(ko, *given),
        in_order=lambda array: array.transpose(0, 3, 1, 2, 4).reshape(2, -1, 1, hidden),
        reference=numpy_grid, torch=torch_grid, jax=jax_grid, flops=12 * hidden**2 * depth * extent**2 * batch, rate_goal=rate,
    )


# Selective scan: h[t] = exp(delta[t] a) h[t-1] + delta[t] x[t] b[t], y[t] = h[t] . c[t]; h and a are [width, states], x and
# delta [width] a step, b and c [states] a step.


def selective_scan(ko, xs, deltas, bs, cs, a):
    ops = ko.fractal

    def step(h, element):
        x, delta, b = element
        return ops.exp(delta[:, None] * a) * h + (delta * x)[:, None] * b

    states = ops.scan(step, ops.zip(xs, deltas, bs), initializer=ops.zeros(*a.shape))
    return ops.map(lambda pair: pair[0] @ pair[1], ops.zip(states, cs))


def numpy_selective_scan(x, delta, b, c, a):
    h, y = np.zeros_like(a), np.empty_like(x)
    for t, step in enumerate(delta[:, :, None]):
        h = np.exp(step * a) * h + step * x[t][:, None] * b[t]
        y[t] = h @ c[t]
    return y


def torch_selective_scan(torch, x, delta, b, c, a):
    """A loop over steps, what does not depend on the state before it."""
    decay, update = torch.exp(delta[:, :, None] * a), (delta * x)[:, :, None] * b[:, None]
    h, y = torch.zeros_like(a), []
    for t in range(len(x)):
        h = decay[t] * h + update[t]
        y.append(h @ c[t])
    return torch.stack(y)


def jax_selective_scan(jax, x, delta, b, c, a):
    def step(h, element):
        x, delta, b, c = element
        h = jax.numpy.exp(delta[:, None] * a) * h + (delta * x)[:, None] * b
        return h, h @ c

    return jax.lax.scan(step, jax.numpy.zeros_like(a), (x, delta, b, c))[1]


def selective_scan_case(ko, name, steps, width, states, goal):
    """Beside JAX, judged by PyTorch's loop."""
    x, delta = floats(1, steps, width), np.abs(floats(2, steps, width)) * np.float32(0.1)
    b, c = floats(4, steps, states), floats(5, steps, states)
    a = np.abs(floats(3, width, states)) * np.float32(-4)
    return Case(
        name, [x, delta, b, c], weights=[a], goal=goal, judged=("PyTorch",), compiled=False, tolerance=1e-4,
        lists=[*(as_list(ko, array, 1) for array in (x, delta, b, c)), a], ours=lambda *given: selective_scan(ko, *given),
        reference=numpy_selective_scan, torch=torch_selective_scan, jax=jax_selective_scan,
    )


LSTMS = size(
    ((4, 64, 1, 64, 5), (4, 64, 1, 256, 5), (8, 64, 8, 128, 5), (8, 64, 32, 256, None)),
    ((2, 4, 1, 5, 5), (2, 4, 3, 8, None)),
)
GRIDS = size(((2, 10, 1, 64, 5, None), (4, 10, 8, 128, 5, None), (4, 10, 32, 256, 1.8, 190e9)), ((2, 3, 2, 5, 5, None),))


def cases(ko):
    """(name, a function that makes the case)."""
    for depth, steps, batch, hidden, goal in LSTMS:
        name = f"lstm of {depth} layers, {steps} steps of {batch}x{hidden}"
        yield name, lambda given=(name, depth, steps, batch, hidden, goal): lstm_case(ko, *given)
    for depth, extent, batch, hidden, goal, rate in GRIDS:
        name = f"grid rnn of {depth} layers, {extent}x{extent} steps of {batch}x{hidden}"
        yield name, lambda given=(name, depth, extent, batch, hidden, goal, rate): grid_case(ko, *given)
    name = "dilated lstm of 6 layers, 50 steps of 32x256"
    yield name, lambda: lstm_case(ko, name, *size((6, 50, 32, 256), (3, 9, 2, 5)), 1.5, dilated=True)
    scan = "selective scan of 512 steps of 512x16"
    yield scan, lambda: selective_scan_case(ko, scan, *size((512, 512, 16), (6, 5, 4)), 10)
