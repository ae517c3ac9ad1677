"""What a task runs in an engine's process."""

import numpy as np


class PieceCall:
    """A piece on the bytes of blocks: call(*blocks) gives the bytes of its results."""

    __slots__ = ("text", "reads", "offsets", "count", "version")

    def __init__(self, text, reads, offsets, count):
        from kolam import __version__

        self.text, self.reads, self.offsets, self.count, self.version = text, reads, offsets, count, __version__

    def __reduce__(self):
        return _remade, (self.text, self.reads, self.offsets, self.count, self.version)

    def __call__(self, *blocks):
        from kolam import __version__, _kolam
        from kolam.errors import KolamValueError

        if __version__ != self.version:
            raise KolamValueError.make(
                "Plan.run", "engine-version", f"expected workers with Kolam {self.version}, but one has {__version__}"
            )
        given = iter(blocks)
        reads = [(dtype, start, end, [(next(given), s, e) for s, e in boxes]) for dtype, start, end, boxes in self.reads]
        # A result may lie in the memory of a block, which is the engine's.
        return [np.asarray(result) for result in _kolam._run_piece(self.text, reads, self.offsets)]


def _remade(text, reads, offsets, count, version):
    call = PieceCall(text, reads, offsets, count)
    call.version = version
    return call


def load_box(path, start, end):
    """The bytes of a box of a `.npy` file."""
    from kolam import _kolam

    return np.asarray(_kolam._box_of_file(path, start, end))
