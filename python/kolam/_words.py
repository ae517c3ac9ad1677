"""Words of errors."""


def with_article(name):
    """`a list`, `an Array`, `a uint8`."""
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"
