"""Elements that one vector computes for some lanes are not taken for elements of all lanes."""

import kolam as ko
import numpy as np


def test_cells_of_a_rows_end_beside_cells_of_whole_rows():
    def program(x, z):
        root = ko.sqrt(x)
        return root[:, :40] * ko.sum(z, axis=0) / ko.sum(root, axis=1, keepdims=True)

    x, z = np.ones((4, 80), "f4"), np.ones((3, 4, 40), "f4")
    for backend in ("cpu", "interpret"):
        np.testing.assert_array_equal(ko.jit(program, backend=backend)(x, z), np.full((4, 40), np.float32(3) / np.float32(80)))
