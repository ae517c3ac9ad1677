"""A program that runs plans on an engine until it is killed: driver.py ray|dask."""

import sys

from programs import has_its_bits, product


def main(engine):
    while has_its_bits(product, engine):
        print("ran", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
