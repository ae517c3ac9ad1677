"""The recurrence of a selective state space model, step by step."""

import kolam
from kolam import pallas as pl
from kolam.kernels._arguments import FLOATS, bind_dims, block_of, is_empty, require_count, require_kind, sums_of


def _scan_kernel(u_ref, delta_ref, a_ref, b_ref, c_ref, d_ref, y_ref):
    dtype = sums_of(y_ref.dtype)
    a = a_ref[...].astype(dtype).T  # [states, channels], so that neighbours have a state in common

    def step(t, state):
        u, delta = u_ref[t].astype(dtype), delta_ref[t].astype(dtype)
        state = kolam.exp(delta[None, :] * a) * state + (delta * u)[None, :] * b_ref[t].astype(dtype)[:, None]
        y = kolam.sum(state * c_ref[t].astype(dtype)[:, None], axis=0) + d_ref[...].astype(dtype) * u
        y_ref[t] = y.astype(y_ref.dtype)
        return state

    pl.fori_loop(0, u_ref.shape[0], step, kolam.zeros(a.shape, dtype=dtype))


def selective_scan(u, delta, A, B, C, D=None, *, block_channels=128, interpret=False):
    """The recurrence of Mamba, for each channel d over states n:

        h[t, d, n] = exp(delta[t, d] A[d, n]) h[t - 1, d, n] + delta[t, d] B[t, n] u[t, d]
        y[t, d] = sum_n C[t, n] h[t, d, n] + D[d] u[t, d]

    >>> import kolam as ko
    >>> u, one = ko.asarray([[[1.0], [2.0], [4.0]]]), ko.ones((1, 3, 1))
    >>> ko.kernels.selective_scan(u, one, ko.zeros((1, 1)), one, one).tolist()
    [[[1.0], [3.0], [7.0]]]

    u and delta are [batch, length, channels], A [channels, states], B and C [batch, length, states], D [channels], zeros
    unless given; all are promoted to one dtype of floats, that of the result, [batch, length, channels]. The state is 0
    before the first step, and float32, or float64 of such. A point of the grid takes all steps of block_channels
    channels. Raises `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, and
    `[bad-block]` for blocks below 1. Source: Gu, Dao, "Mamba: linear-time sequence modeling with selective state spaces",
    2023.
    """
    u, delta, A, B, C = (kolam.asarray(given) for given in (u, delta, A, B, C))
    D = kolam.zeros(u.shape[-1:], dtype=u.dtype) if D is None else kolam.asarray(D)
    extents = bind_dims(
        "selective_scan", u=(u, "batch length channels"), delta=(delta, "batch length channels"), A=(A, "channels states"),
        B=(B, "batch length states"), C=(C, "batch length states"), D=(D, "channels"),
    )  # fmt: skip
    batch, length, channels, states = extents.values()
    require_kind("selective_scan", FLOATS, u=u, delta=delta, A=A, B=B, C=C, D=D)
    require_count("selective_scan", block_channels=block_channels)
    dtype = kolam.result_type(u, delta, A, B, C, D)
    if is_empty(*extents.values()):
        return (u * D).astype(dtype)
    block = block_of(channels, block_channels)
    of_channels = pl.BlockSpec((None, length, block), lambda b, d: (b, 0, d))
    of_states = pl.BlockSpec((None, length, states), lambda b, d: (b, 0, 0))
    return pl.pallas_call(
        _scan_kernel,
        kolam.ShapeDtypeStruct((batch, length, channels), dtype),
        grid=(batch, pl.cdiv(channels, block)),
        in_specs=[
            of_channels, of_channels, pl.BlockSpec((block, states), lambda b, d: (d, 0)), of_states, of_states,
            pl.BlockSpec((block,), lambda b, d: (d,)),
        ],
        out_specs=of_channels,
        name="selective_scan",
        interpret=interpret,
    )(*(given.astype(dtype) for given in (u, delta, A, B, C, D)))  # fmt: skip
