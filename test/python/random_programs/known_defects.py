"""What Kolam does wrong as yet, with programs that show it. Random programs leave these cases out; whoever mends one takes its
line away here."""

KNOWN_DEFECTS = {
    # An empty result where other dims are 0 too, and [empty-reduction], as in NumPy, where these are symbols that are 0.
    "no elements for no results": "ko.jit(lambda x: ko.min(x, axis=0))(np.ones((0, 0))), and with dynamic={'x': [0, 1]}",
}


def is_sound(case):
    """Whether a case may be drawn."""
    return case not in KNOWN_DEFECTS
