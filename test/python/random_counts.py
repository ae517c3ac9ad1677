"""How many random programs a test takes."""

import os


def count(full, variable="KOLAM_PROGRAMS", plain=1):
    """The number in an environment variable; else a part of `full`, KOLAM_RANDOM_PART of it, `plain` where that is not set."""
    given = os.environ.get(variable)
    return int(given) if given else max(4, int(full * float(os.environ.get("KOLAM_RANDOM_PART", plain))))
