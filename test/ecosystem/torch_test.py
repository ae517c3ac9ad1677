"""PyTorch's functions and layers take our arrays, where PyTorch records no gradients."""

import numpy as np
import pytest

import kolam as ko

torch = pytest.importorskip("torch", reason="PyTorch is not installed: scripts/ecosystem_test --torch installs it (6 GB)")
functional, nn = torch.nn.functional, torch.nn

LAYERS = {
    "Linear": nn.Linear(4, 3), "without bias": nn.Linear(4, 3, bias=False), "ReLU": nn.ReLU(), "GELU": nn.GELU(), "SiLU": nn.SiLU(),
    "LayerNorm": nn.LayerNorm(4), "RMSNorm": nn.RMSNorm(4), "Softmax": nn.Softmax(dim=-1), "Sigmoid": nn.Sigmoid(), "Tanh": nn.Tanh(),
    "Flatten": nn.Flatten(0), "Dropout": nn.Dropout().eval(), "ELU": nn.ELU(), "LeakyReLU": nn.LeakyReLU(), "Softplus": nn.Softplus(2),
    "network": nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2), nn.LogSoftmax(dim=-1)),
    "softmax": lambda x: functional.softmax(x, dim=-1), "relu": lambda x: functional.relu(x), "linear": lambda x: functional.linear(x, x),
    "attention": lambda x: functional.scaled_dot_product_attention(x, x, x), "pad": lambda x: functional.pad(x, (1, 2)),
    "cross entropy": lambda x: functional.cross_entropy(x, torch.tensor([0, 1, 2, -100] * 15)),
    "mse": lambda x: functional.mse_loss(x, torch.ones(60, 4)), "normalize": lambda x: functional.normalize(x),
    "conv2d": lambda x: functional.conv2d(x.reshape(1, 1, 60, 4), torch.ones(2, 1, 3, 3), torch.ones(2), padding=1, stride=2),
    "std": lambda x: torch.std(x, dim=1), "var": lambda x: torch.var(x), "max": lambda x: torch.max(x, 1).values,
    "sort": lambda x: torch.sort(x, dim=0, descending=True)[0], "topk": lambda x: torch.topk(x, 2).values,
    "gather": lambda x: torch.gather(x, 1, torch.tensor([[1], [0]])), "chunk": lambda x: torch.chunk(x, 7)[6], "split": lambda x: torch.split(x, 32)[1],
    "roll": lambda x: torch.roll(x, (1, 2), (0, 1)), "diff": lambda x: torch.diff(x, dim=0), "median": lambda x: torch.median(x),
    "median along": lambda x: torch.median(x, 1).values, "quantile": lambda x: torch.quantile(x, 0.3, dim=0, keepdim=True),
    "repeat": lambda x: torch.repeat_interleave(x, 2, dim=1), "norm": lambda x: torch.norm(x), "norm of both": lambda x: torch.norm(x, 3, dim=(0, 1)),
    "vector norm": lambda x: torch.linalg.vector_norm(x, dim=1), "logsumexp": lambda x: torch.logsumexp(x, 1), "flip": lambda x: torch.flip(x, (0,)),
    "select": lambda x: torch.index_select(x, 1, torch.tensor([2, 0])), "fill": lambda x: torch.masked_fill(x, x > 0, 2.0), "mv": lambda x: torch.mv(x, x[0]),
    "tensor first": lambda x: torch.ones(4) + x, "tensor second": lambda x: x * torch.ones(4), "cat": lambda x: torch.cat([x, torch.ones(1, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("case", LAYERS)
@pytest.mark.parametrize("silence", [torch.no_grad, torch.inference_mode])
def test_like_torch(case, silence, pair):
    x, given = pair
    with silence():
        result, expected = LAYERS[case](x), LAYERS[case](torch.tensor(given)).numpy()
        compiled = ko.jit(LAYERS[case])(x)
    for ours in (result, compiled):
        assert isinstance(ours, ko.Array) and ours.shape == expected.shape and ours.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-5, atol=1e-6)


def test_counts():
    x = ko.asarray([3, 1, 3, 0])
    assert torch.bincount(x).tolist() == [1, 1, 0, 2] and torch.unique(x).tolist() == [0, 1, 3] and torch.count_nonzero(x).item() == 3
    assert [part.tolist() for part in torch.unique(x, return_counts=True)] == [[0, 1, 3], [1, 1, 2]]
    assert torch.median(x, 0).indices.item() == 1 and torch.searchsorted(ko.asarray([0, 1, 3]), x, right=True).tolist() == [3, 2, 3, 1]


def test_names_of_what_is_missing():
    for call, words in [(lambda x: torch.cummax(x, 0), "write kolam.cumulative_max"), (lambda x: torch.argwhere(x), "kolam.argwhere may be what you mean")]:
        with pytest.raises(ko.KolamError, match=words):
            call(ko.ones(3))
    with pytest.raises(ko.KolamError, match=r"torch.unique: \[bad-option\]"):
        torch.unique(ko.ones((2, 2)), dim=0)


def test_gradients_are_not_cut_off(pair):
    x, _ = pair
    weight = torch.ones(4, requires_grad=True)
    for call in (nn.Linear(4, 3), lambda x: x * weight, lambda x: torch.cat([x, weight[None]]), lambda x: functional.layer_norm(x, (4,), weight)):
        with pytest.raises(ko.KolamError, match=r"\[records-gradients\].*torch\.no_grad"):
            call(x)
    assert isinstance(functional.softmax(x, dim=-1), ko.Array)  # nothing records here
    assert isinstance(x * weight.detach(), ko.Array)


def test_what_is_not_here_says_so(pair):
    x, _ = pair
    with pytest.raises(ko.KolamError, match=r"torch\.fft_fft: \[no-torch-function\].*torch\.from_dlpack"):
        torch.fft.fft(x)
    with pytest.raises(ko.KolamError, match=r"\[immutable-array\].*inplace"):
        functional.relu(x, inplace=True)
    with pytest.raises(IndexError, match=r"\[index-out-of-range\]"):
        functional.embedding(ko.asarray([0, 5]), torch.ones(3, 2))
