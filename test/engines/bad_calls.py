"""Tasks that do not end the first time: in a worker that finds no file `flag`, and makes it."""

import itertools
import os
import signal

from kolam.engines._call import PieceCall


class BadCall(PieceCall):
    """A piece whose first call hangs as `how` says."""

    __slots__ = ("flag", "how")

    def __init__(self, *piece, flag, how):
        super().__init__(*piece)
        self.flag, self.how = flag, how

    def __reduce__(self):
        return _remade, (self.text, self.reads, self.offsets, self.count, self.flag, self.how)

    def __call__(self, *blocks):
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().__call__(*blocks)
        if self.how == "stops":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif self.how == "spins":
            sum(itertools.repeat(0))  # in C, with the interpreter's lock, for ever
        return super().__call__(*blocks)


def _remade(text, reads, offsets, count, flag, how):
    return BadCall(text, reads, offsets, count, flag=flag, how=how)
