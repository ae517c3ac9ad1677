"""einsum with subscripts drawn at random."""

import numpy as np
from random_programs.cells import common_dtype
from random_programs.contractions import MOST_PRODUCTS, new_or_existing, other_dtype, products, wider
from random_programs.extents import most_cells
from random_programs.steps import Entry, broadcast_dims, join, require
from random_programs.values import NUMBERS

LETTERS = "abcdefgh"
REST = "..."


class Subscripts:
    """Letters with their extents, handed out to operands."""

    def __init__(self, g):
        self.g, self.extents, self.rests = g, {}, []

    def of_given(self, dims):
        """Subscripts of an operand that exists: new letters or, as a diagonal, one of its own; some dims under `...`."""
        rest = range(0)
        if dims and self.g.chance(0.25):
            start = int(self.g.rng.integers(len(dims)))
            rest = range(start, int(self.g.rng.integers(start, len(dims))) + 1)
            self.rests.append(tuple(dims[i] for i in rest))
        own = []
        for dim in (d for i, d in enumerate(dims) if i not in rest):
            same = [letter for letter in own if self.extents[letter] == dim]
            if same and self.g.chance(0.25):
                own.append(self.g.pick(same))
            else:
                own.append(self.new_letter(dim))
        if rest:
            own.insert(rest.start, REST)
        return own

    def of_new(self):
        """(subscripts, dims) of a further operand: letters in use, at their extent or at 1, and new ones."""
        own, dims = [], []
        for _ in range(self.g.pick([0, 1, 2, 2, 3])):
            if self.extents and self.g.chance(0.7):
                letter = self.g.pick(sorted(self.extents))
                one = letter not in own and self.g.chance(0.1)
                if letter in own and dims[own.index(letter)] != self.extents[letter]:
                    continue
                own.append(letter), dims.append(1 if one else self.extents[letter])
            else:
                extent = self.g.extent((0, 1, 2, 3, 5, 17))
                own.append(self.new_letter(extent)), dims.append(extent)
        if self.rests and self.g.chance(0.5):
            place, rest = int(self.g.rng.integers(len(own) + 1)), self.rests[0]
            rest = tuple(1 if self.g.chance(0.2) else d for d in rest[int(self.g.rng.integers(len(rest) + 1)) :])
            self.rests.append(rest)
            own.insert(place, REST)
            dims[place:place] = rest
        return own, dims

    def new_letter(self, extent):
        require(len(self.extents) < len(LETTERS))
        letter = self.g.pick([x for x in LETTERS if x not in self.extents])
        self.extents[letter] = extent
        return letter

    def result(self, operands):
        """(its subscripts, or None where they are left out, those that result)."""
        letters = [letter for own in operands for letter in own if letter != REST]
        if self.g.chance(0.2):
            return None, [REST] * bool(self.rests) + sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        kept = [letter for letter in sorted(set(letters)) if self.g.chance(0.6)]
        kept = [kept[i] for i in self.g.rng.permutation(len(kept))]
        if self.rests:
            kept.insert(int(self.g.rng.integers(len(kept) + 1)), REST)
        return kept, kept


def einsum():
    def make(g):
        x = g.value(NUMBERS)
        subscripts = Subscripts(g)
        operands, owns = [x], [subscripts.of_given(x.dims)]
        for _ in range(g.pick([0, 1, 1, 1, 2])):
            own, dims = subscripts.of_new()
            operands.append(new_or_existing(g, other_dtype(g, x.dtype), dims)), owns.append(own)
        kept, result = subscripts.result(owns)
        spec = ",".join("".join(own) for own in owns) + ("" if kept is None else "->" + "".join(kept))
        rest = broadcast_dims(*subscripts.rests) if subscripts.rests else ()
        require(rest is not None)
        require(most_cells((*subscripts.extents.values(), *rest)) <= MOST_PRODUCTS)
        dims = [dim for letter in result for dim in (rest if letter == REST else [subscripts.extents[letter]])]
        sums, option = wider(g, common_dtype([v.dtype for v in operands]))
        return products(f"ko.einsum('{spec}', {join(operands)}{option})", operands, sums, dims, lambda *a: np.einsum(spec, *a))

    return Entry("einsum", make, 4.0)
