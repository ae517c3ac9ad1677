"""The reference page of the Python package holds the words of every public name."""

import kolam as ko


def test_page(load_script):
    page = load_script("write_reference.py").page()
    public = [name for name, thing in vars(ko).items() if callable(thing) and name[0] != "_" and not isinstance(thing, ko.DType)]
    assert [name for name in public if f"kolam.{name}\n" not in page and not page.count(f".{name}\n")] == []
    assert "nb_func" not in page
    for part in ("## contraction", "### kolam.matmul", "## kolam.random", "### kolam.random.bits", "### kolam.samba.sn_gather"):
        assert f"{part}\n" in page
    assert "abs(x, /)\n\n|x|." in page  # a function of the library
    assert "result[i] = f(x[i], y[i], ...), then reduced over axes." in page  # one of the package
