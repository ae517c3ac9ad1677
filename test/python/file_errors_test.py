"""Files that are missing, cannot be written, or hold no arrays are refused with a slug, their name and the reason."""

import io
import zipfile

import numpy as np
import pytest

import kolam as ko

X = np.ones((2, 3), np.float32)


def npy(array=X, **options):
    """The bytes of a .npy file."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def npz(**entries):
    """The bytes of an archive of entries given as bytes; double underscores stand for dots."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "."), data)
    return file.getvalue()


# What a .npy file holds, and why it is refused.
NO_NPY = {
    "empty": (b"", "it ends within its first bytes"),
    "text": (b"1.0, 2.0, 3.0", r"it does not start with \x93NUMPY"),
    "version": (b"\x93NUMPY\x09\x00" + npy()[8:], "expected version 1.0, 2.0 or 3.0, but got 9.0"),
    "cut off": (npy()[:-1], "its header tells of 24 bytes of elements, but 23 follow"),
    "cut off early": (npy()[:40], "it ends within its header"),
    "complex": (npy(X.astype(complex)), "dtype '<c16' is not supported"),
    "strings": (npy(np.array(["a"])), "dtype '<U1' is not supported"),
    "objects": (npy(np.array([None])), "arrays of Python objects are not supported"),
    "records": (npy(np.zeros(1, [("a", "i4")])), "structured dtypes are not supported"),
    "no dict": (npy().replace(b"{", b"["), "the header is no dict"),
    "negative": (npy().replace(b"(2, 3)", b"(-2,3)"), "an extent is negative"),
}

NO_NPZ = {
    "empty": (b"", "it is too short for an archive"),
    "an array": (npy(np.zeros(100)), "it has no archive directory"),
    "other files": (npz(readme__txt="hello"), "entry 'readme.txt' is no .npy file"),
    "damage": (npz(x__npy=npy()).replace(b"\x00\x00\x80?" * 6, bytes(24)), "the checksum of entry 'x.npy' is wrong"),
}


def refused(call, slug):
    with pytest.raises(ko.KolamError) as info:
        call()
    assert isinstance(info.value, OSError) and info.value.slug == slug
    assert info.value.where[0] == __file__
    return str(info.value).split("\n")[0]


@pytest.mark.parametrize("case", NO_NPY)
def test_what_is_no_npy_file(tmp_path, case):
    data, reason = NO_NPY[case]
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    message = refused(lambda: ko.load(path), "bad-npy")
    assert message == f"load: [bad-npy] '{path}' is no valid .npy file: {reason}"


@pytest.mark.parametrize("case", NO_NPZ)
def test_what_is_no_npz_file(tmp_path, case):
    data, reason = NO_NPZ[case]
    path = tmp_path / "x.npz"
    path.write_bytes(data)
    message = refused(lambda: ko.load_npz(path), "bad-npz")
    assert message == f"load_npz: [bad-npz] '{path}' is no valid .npz file: {reason}"


def test_arrays_inside_archives_are_named(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(npz(x__npy=b"hello"))
    message = refused(lambda: ko.load_npz(path), "bad-npy")
    assert message == f"load_npz: [bad-npy] '{path}/x.npy' is no valid .npy file: it ends within its first bytes"


def test_reading_what_is_not_there(tmp_path):
    missing = tmp_path / "none.npy"
    for load in (ko.load, ko.load_npz):
        message = refused(lambda: load(missing), "io-read")
        assert message == f"{load.__name__}: [io-read] cannot read '{missing}': No such file or directory"
    message = refused(lambda: ko.load(tmp_path), "io-read")
    assert message == f"load: [io-read] cannot read '{tmp_path}': not a regular file"


def test_writing_where_nothing_can_be_written(tmp_path):
    path = tmp_path / "no_folder" / "x.npy"
    message = refused(lambda: ko.save(path, X), "io-write")
    assert message == f"save: [io-write] cannot write '{path}': No such file or directory"
    message = refused(lambda: ko.save_npz(path, {"x": X}), "io-write")
    assert message == f"save_npz: [io-write] cannot write '{path}': No such file or directory"
    message = refused(lambda: ko.save(tmp_path, X), "io-write")
    assert message == f"save: [io-write] cannot write '{tmp_path}': Is a directory"


@pytest.mark.parametrize("name", ["", "zero\0byte", "x" * 65001])
def test_names_that_an_archive_cannot_hold(tmp_path, name):
    with pytest.raises(ko.KolamError) as info:
        ko.save_npz(tmp_path / "x.npz", {name: X})
    assert isinstance(info.value, ValueError) and info.value.slug == "bad-name"
    words = "save_npz: [bad-name] expected names of 1 to 65000 bytes of UTF-8 without zero bytes"
    assert str(info.value).split("\n")[0].startswith(words)
    assert not (tmp_path / "x.npz").exists()
