"""What Kolam does wrong as yet, with programs that show it. Random programs leave these cases out; whoever mends one takes its
line away here."""

KNOWN_DEFECTS = {
    # An empty result where other dims are 0 too, and [empty-reduction], as in NumPy, where these are symbols that are 0.
    "no cells for no results": "ko.jit(lambda x: ko.min(x, axis=0))(np.ones((0, 0))), and with dynamic={'x': [0, 1]}",
    # The sums are made in float32, although `dtype` is that of the sums.
    "float64 sums of narrow products": "ko.matmul(x, y, dtype='float64') for float16 x and y",
    # [window-too-large] in place of an empty result, or of [index-out-of-range] where there are indices.
    "take from an empty symbolic dim": "ko.jit(lambda x, i: ko.take(x, i), dynamic={'x': [0]})(np.ones((0, 2)), np.zeros((0,), np.int32))",
}


def is_sound(case):
    """Whether a case may be drawn."""
    return case not in KNOWN_DEFECTS
