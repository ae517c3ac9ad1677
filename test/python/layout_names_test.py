"""Names of dims and pins in programs: where names travel, where they stand, what is refused, what runs."""

import json

import numpy as np
import pytest
from layout_found import shape

import kolam as ko
import kolam.fractal as ft
from kolam import pallas as pl

pin = ko.layout.pin


def texts(f, *shapes, **options):
    """The texts of the ops, of the best choice where all is allowed."""
    options = {"mode": "repair", "profile": "relaxed", "allow_dynamic_weights": True} | options
    return [op.text for op in ko.layout.infer(f, *(shape(*s) for s in shapes), **options).ops]


# Where names go.


def test_names_of_an_input_stand_in_text_dot_and_json():
    r = ko.layout.infer(lambda x: ko.tanh(x).T, shape(2, 8), inputs={"x": "batch feature!"})
    assert "names batch 2, feature 8" in str(r) and "result 0 [feature! batch]" in str(r)
    assert r.ops[1].text == "transpose [batch feature!] -> [feature! batch]"
    assert "[feature! batch]" in r.as_dot()
    assert [value["names"] for value in json.loads(r.as_json())["values"]] == [["batch", "feature"]] * 2 + [["feature", "batch"]]


def test_names_go_backwards():
    assert texts(lambda x: ko.exp(x), (2, 8), outputs={0: "a b!"}) == ["exp [a b!] -> [a b!]"]


def test_products_and_reductions():
    def f(q, k):
        return ko.sum(ko.einsum("bhd,bwd->bhw", pin(q, "batch heads dim!"), pin(k, "batch window dim!")), axis=1)

    product, total = texts(f, (2, 8, 16), (2, 4, 16))[2:]
    assert product.replace("!", "") == "contract [batch heads dim] [batch window dim] -> [batch heads window]"
    assert total.replace("!", "") == "reduce [batch heads window] -> [batch window]"


def test_reshapes_join_names_and_take_them_apart():
    def f(x):
        flat = ko.reshape(pin(x, "batch heads dim!"), (2, 128))
        return ko.reshape(ko.tanh(flat), (2, 8, 16))

    assert [text.replace("!", "") for text in texts(f, (2, 8, 16))[1:]] == [
        "reshape [batch heads dim] -> [batch (heads*dim)]",
        "tanh [batch (heads*dim)] -> [batch (heads*dim)]",
        "reshape [batch (heads*dim)] -> [batch heads dim]",
    ]


@pytest.mark.parametrize(
    "f, named",
    [
        (lambda x: ko.expand_dims(x, 1), "[a 1 b]"),
        (lambda x: ko.squeeze(ko.expand_dims(x, 1), 1), "[a b]"),
        (lambda x: ko.mean(x, axis=1, keepdims=True), "[a 1]"),
        (lambda x: x - ko.mean(x, axis=1, keepdims=True), "[a b]"),
        (lambda x: ko.broadcast_to(x, (3, 2, 8)), "[3 a b]"),
        (lambda x: x[:, :4], "[a 4]"),
        (lambda x: ko.flip(x, axis=0), "[a b]"),
        (lambda x: ko.concat([x, x], axis=1), "[a 16]"),
        (lambda x: ko.pad(x, ((0, 0), (1, 1))), "[a 10]"),
        (lambda x: ko.sort(x, axis=1), "[a b]"),
        (lambda x: ko.cumulative_sum(x, axis=1), "[a b]"),
        (lambda x: ko.softmax(x, axis=1), "[a b]"),
        (lambda x: ko.take(x, np.array([0, 1, 1], np.int32), axis=0), "[3 b]"),
        (lambda x: ko.matmul(x, np.ones((8, 5), np.float32)), "[a 5]"),
        (lambda x: ko.fori_loop(0, 3, lambda i, s: ko.tanh(s), x), "[a b]"),
        (lambda x: ko.cond(ko.sum(x) > 0, lambda y: y * 2, lambda y: -y, x), "[a b]"),
        (lambda x: ko.scan(lambda s, row: (s + row, s), ko.zeros((8,)), x)[1], "[a b]"),
        (lambda x: ko.vmap(lambda row: pin(row, "b!") * 2)(x), "[a b]"),
    ],
)
def test_where_names_stay(f, named):
    found = ko.layout.infer(f, shape(2, 8), inputs={"x": "a b!"}, mode="repair", profile="relaxed", allow_dynamic_weights=True)
    line = next(line for line in str(found).splitlines() if line.startswith("  result 0"))
    assert named in line.replace("!", "")


def test_windows_that_are_combined():
    for padding, dims in [("same", "[batch time 16]"), (0, "[batch 30 16]")]:
        f = lambda x, padding=padding: ko.conv1d(x, ko.ones((16, 8, 3)), padding=padding)
        shown = [text.replace("!", "") for text in texts(f, (2, 8, 32), inputs={"x": "batch channels! time"})]
        assert f"convolution [batch time channels] -> {dims}" in shown


def test_blocks_of_kernels():
    def soften(x, y):
        y[...] = ko.softmax(x[...], axis=-1)

    spec = pl.BlockSpec((4, 8), lambda i: (i, 0))
    call = pl.pallas_call(soften, out_shape=ko.ShapeDtypeStruct((24, 8), "float32"), grid=(6,), in_specs=[spec], out_specs=spec)
    shown = texts(lambda x: ko.tanh(call(x)), (24, 8), inputs={"x": "rows columns!"})
    assert "divide [rows columns!] [rows columns!] -> [rows columns!]" in shown
    assert shown[-1] == "tanh [rows columns!] -> [rows columns!]"


def test_functions_of_the_host_end_names():
    f = lambda x: ko.opaque_call(lambda v: v, [x], ((4, 8), ko.float32))
    assert texts(f, (4, 8), inputs={"x": "rows columns!"}) == ["opaque_call [rows columns!] -> [4 8!]"]
    assert texts(lambda x: pin(f(x), "rows columns!"), (4, 8))[-1] == "pin [rows columns!]"


def test_bodies_of_lists():
    f = lambda xs: ft.map(lambda x: ko.tanh(pin(x, "row feature!")), xs)
    xs = ft.FractalTensor([np.ones((1, 8), np.float32) for _ in range(5)])
    text = str(ko.layout.infer(f, xs))
    assert "tanh [row feature!] -> [row feature!]" in text and "argument xs [n0 row feature!]" in text
    assert f(xs)[4].shape == ko.jit(f)(xs)[4].shape == (1, 8)
    assert "pin" not in ko.jit(f).picture("cells", xs)


# Pins in a program.


def test_a_pin_says_where_d_is():
    f = lambda x: ko.tanh(pin(ko.exp(x), 0))
    r = ko.layout.infer(f, shape(4, 8))
    assert r.outputs == [0] and [op.text for op in r.ops][1] == "pin [4! 8]"
    assert ko.layout.infer(lambda x: ko.tanh(pin(x, -1)), shape(4, 8)).outputs == [1]


def test_pins_run_as_what_they_pin():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    f = lambda x: pin(x, "rows columns!") + pin(x, 0)
    for backend in ("cpu", "interpret", "schedule"):
        assert np.array_equal(ko.jit(f, backend=backend)(x), x + x)
    assert np.array_equal(f(ko.asarray(x)), x + x)
    assert np.array_equal(ko.vmap(lambda row: pin(row, "columns!") * 2)(x), x * 2)
    assert np.array_equal(ko.fori_loop(0, 2, lambda i, s: pin(s, 1) * 2, ko.asarray(x)), x * 4)
    f = lambda x: pin(x, "rows columns!") + pin(x, 1)
    nests = ko.jit(f).lower(x).as_text("nests")
    assert nests == ko.jit(lambda x: x + x).lower(x).as_text("nests")


def test_pins_under_checks_dynamic_dims_and_kernels():
    x = np.ones((2, 3), np.float32)
    assert ko.jit(lambda x: pin(x, 1) * 2, checks=True)(x)[0, 0] == 2
    assert ko.jit(lambda x: pin(x, "n _!") * 2, dynamic={"x": [0]})(x)[1, 2] == 2

    def kernel(x, y):
        y[...] = pin(x[...], "rows columns!") * 2

    assert ko.pallas.pallas_call(kernel, out_shape=ko.ShapeDtypeStruct((2, 3), "float32"))(x)[1, 2] == 2


def test_pins_of_two_kinds_in_vmap():
    r = ko.layout.infer(ko.vmap(lambda x: ko.tanh(pin(x, "heads! dim"))), shape(2, 8, 16))
    assert r.ops[1].text == "tanh [2 heads! dim] -> [2 heads! dim]"


def test_a_pin_is_a_member_of_cores():
    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
        ko.layout.infer(lambda x: ko.reshape(pin(x, "a b! c"), (4, 40)), shape(4, 8, 5))
    assert [(call.kind, call.text.split("  ")[0]) for call in caught.value.core] == [
        ("pin", "pin [a b! c] as given"),
        ("op", "reshape [a b! c] -> [a (b*c)]"),
    ]
    text = str(caught.value)
    assert "names: a 4, b 8, c 5" in text and "the pin at layout_names_test.py:" in text and "given as [a b c!]" in text


def test_programs_as_text_keep_pins_and_kept_dims():
    f = lambda x: pin(ko.sum(pin(x, "a! b"), axis=0, keepdims=True), "_! b")
    text = ko.jit(f).lower(shape(4, 8)).as_text("program")
    assert 'kolam.pin %arg0 0 ["a", "b"]' in text and "keeps_dims" in text


# What is refused.


@pytest.mark.parametrize(
    "at, words",
    [
        (2, "argument 'at': expected a dim from -2 to 1, but got 2"),
        ("a b", "expected a '!' behind one word, but got 'a b'; write 'a b!'"),
        ("a! b!", "expected one '!', but got 'a! b!'; write 'a b!'"),
        ("a! a", "expected every name once, but got 'a! a'; write '_'"),
        ("a b c!", "expected 2 words, one for each dim, but got 'a b c!'"),
        ("", "expected 2 words"),
        ("a (b*c)!", "expected names of letters, digits and '_'"),
        ("a !", "expected names"),
        ("4 9!", "expected extent 8 in dim 1, but got '4 9!'"),
    ],
)
def test_wrong_words(at, words):
    x = ko.ones((4, 8))
    for call in (lambda: pin(x, at), lambda: ko.jit(lambda x: pin(x, at))(x)):
        with pytest.raises(ko.KolamError, match=r"layout.pin: \[layout-pin\]") as caught:
            call()
        assert words in str(caught.value) and caught.value.where[0] == __file__


def test_wrong_types_and_ranks():
    for x, at, slug in [(ko.ones((4,)), 0.5, "argument-type"), (ko.ones((4,)), None, "argument-type"), (1.0, 0, "layout-pin"), ("x", 0, "not-an-array")]:
        with pytest.raises(ko.KolamError) as caught:
            pin(x, at)
        assert caught.value.slug == slug


def test_extents_and_blanks_name_nothing():
    assert texts(lambda x: pin(x, "4 _!"), (4, 8)) == ["pin [4 8!]"]
    assert texts(lambda x: pin(x, "größe 8!"), (4, 8)) == ["pin [größe 8!]"]


def test_pins_of_constants():
    for f, options in [(lambda x: ko.tanh(pin(x, 0)), {"constants": ["x"]}), (lambda x: ko.cond(ko.sum(x) > 0, lambda y: pin(y, 0), lambda y: y, x), {"constants": ["x"]})]:
        with pytest.raises(ko.KolamError, match=r"\[layout-pin\]") as caught:
            ko.layout.infer(f, shape(4, 8), **options)
        assert "but got a constant" in str(caught.value) and caught.value.where[0] == __file__


def test_two_names_for_a_dim():
    def f(x, y):
        return ko.tanh(pin(x, "batch heads!")) + pin(y, "batch channels!")

    with pytest.raises(ko.KolamError, match=r"\[layout-names\]") as caught:
        ko.layout.infer(f, shape(4, 8), shape(4, 8))
    text, line = str(caught.value), f.__code__.co_firstlineno + 1
    assert "add [batch heads] [batch channels]" in text
    assert f"'heads', given by a pin at layout_names_test.py:{line}" in text and "'channels', given by a pin at" in text
    assert caught.value.where == (__file__, line)


@pytest.mark.parametrize(
    "f, options, givers",
    [
        (lambda x: ko.tanh(x), {"inputs": {"x": "a b!"}, "outputs": {0: "a c!"}}, ("input 'x'", "output 0")),
        (lambda x: ko.tanh(pin(x, "a c!")), {"inputs": {"x": "a b!"}}, ("input 'x'", "a pin at")),
        (lambda x: x + ko.matmul(x, x), {"inputs": {"x": "a b!"}}, ("'a', given by input 'x'", "'b', given by input 'x'")),
    ],
)
def test_who_gave_two_names(f, options, givers):
    with pytest.raises(ko.KolamError, match=r"\[layout-names\]") as caught:
        ko.layout.infer(f, shape(8, 8), mode="repair", **options)
    assert all(giver in str(caught.value) for giver in givers)


def test_ten_thousand_ops():
    def f(x):
        for _ in range(5000):
            x = ko.tanh(x).T
        return x

    r = ko.layout.infer(f, shape(4, 8), inputs={"x": "a b!"})
    assert r.ops[-1].text in ("transpose [b a!] -> [a! b]", "transpose [b! a] -> [a b!]")


# How programs show.


def test_program_text_parses_and_holds_all_lines():
    def f(x):
        y = ko.fori_loop(0, 3, lambda i, s: ko.tanh(s) + ko.mean(s, axis=1, keepdims=True), pin(x, "a b!"))
        return ko.scan(lambda s, row: (s + row, s * row), ko.zeros((8,)), y)

    r = ko.layout.infer(f, shape(4, 8), mode="repair")
    lines = r.as_program().splitlines()
    assert lines[0] == f"// profile seed, costs blocks, total {r.total}" and lines[1] == "// names a 4, b 8"
    for name in ("tanh", "mean", "pin", "scan", "for"):
        assert all(" // [" in line for line in lines if f"kolam.{name}" in line or f'"{name}"' in line)
    assert any("return" in line and "result 0" in line and "result 1" in line for line in lines)


def test_relayouts_stand_behind_what_is_moved():
    r = ko.layout.infer(lambda x: ko.tanh(x) + ko.tanh(x).T, shape(8, 8), mode="repair")
    assert r.relayouts and sum("relayout" in line for line in r.as_program().splitlines()) == len(r.relayouts)


def test_explain_ends_with_data_dimensions():
    f, x = lambda x: ko.tanh(x), ko.ones((4, 8))
    text = ko.layout.explain(f, x, inputs={"x": "a b!"})
    assert "nest0: " in text and text.endswith("data dimensions: " + str(ko.layout.infer(f, x, inputs={"x": "a b!"})))


def test_cumulative_ops_go_by_their_name():
    assert texts(lambda x: ko.cumulative_sum(x, axis=1), (4, 8), inputs={"x": 0}, mode="strict") == ["cumulative add [4! 8] -> [4! 8]"]


# Members of cores are calls.


def test_two_calls_of_a_line_are_two_members():
    f = lambda x: (ko.reshape(x, (4, 40)), ko.tanh(x), ko.exp(ko.expand_dims(ko.sum(x, axis=1), 1)))
    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
        ko.layout.infer(f, shape(4, 8, 5), inputs={"x": 1})
    assert len(caught.value.core) == 2 and len({call.where for call in caught.value.core if call.kind == "op"}) == 1


def test_each_call_of_a_function_of_the_users_is_one():
    def cut(x):
        return ko.reshape(x, (4, 40))

    def f(x, y):
        return ko.tanh(cut(x)), cut(y)

    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
        ko.layout.infer(f, shape(4, 8, 5), shape(4, 8, 5), inputs={"y": 1})
    assert [call.kind for call in caught.value.core] == ["input", "op"]


def test_a_composite_is_one_member():
    f = lambda x: ko.reshape(ko.softmax(x, axis=1), (4, 40))
    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
        ko.layout.infer(f, shape(4, 8, 5), inputs={"x": 1})
    names = [call.name for call in caught.value.core if call.kind == "op"]
    assert names[-1] == "reshape" and len({call.where for call in caught.value.core}) == 2


def test_calls_of_a_long_loop_come_together():
    def f(x):
        for _ in range(1000):
            x = ko.tanh(x)
        return ko.reshape(x, (4, 40))

    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
        ko.layout.infer(f, shape(4, 8, 5), inputs={"x": 1})
    assert len(caught.value.core) == 1002 and "... 962 more" in str(caught.value)
