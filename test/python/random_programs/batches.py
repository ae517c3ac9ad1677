"""Puts a random program under vmap: for each level how many instances, and the axes of inputs and results."""

import itertools
from dataclasses import dataclass

import numpy as np
from random_programs.extents import shape_at

COUNTS = (0, 1, 2, 2, 5, 5)


@dataclass
class Level:
    """One vmap around the program, or around the next level."""

    count: int
    in_axes: dict  # by input
    out_axes: dict  # by result


@dataclass
class Batch:
    """A program with its levels, from the outermost, and arrays of every instance, by (input, place of the instance)."""

    program: object
    outputs: list
    levels: list
    sizes: dict
    instances: dict
    groups: list  # of inputs: a name, or a list of names that are one argument

    def places(self):
        """Of all instances; the first where there are none, for its shapes."""
        return list(itertools.product(*(range(max(level.count, 1)) for level in self.levels)))

    def arrays(self, place):
        """The inputs of one instance."""
        return {v.name: self.instances[v.name, self._own(v.name, place)] for v in self.program.inputs}

    def _own(self, name, place):
        """The place without the levels that do not map the input."""
        return tuple(k if level.in_axes[name] is not None else 0 for k, level in zip(place, self.levels, strict=True))

    def stacked(self, name):
        """The input of the outermost level."""
        axes = [level.in_axes[name] for level in self.levels]
        return self._stack(axes, lambda place: self.instances[name, place])

    def expected(self, name, results):
        """The result of the outermost level, of results by place."""
        return self._stack([level.out_axes[name] for level in self.levels], lambda place: results[place][name])

    def _stack(self, axes, cell, place=()):
        depth = len(place)
        if depth == len(axes):
            return cell(place)
        if axes[depth] is None:
            return self._stack(axes, cell, (*place, 0))
        count = self.levels[depth].count
        parts = [self._stack(axes, cell, (*place, k)) for k in range(max(count, 1))]
        whole = np.stack(parts, axes[depth])
        return whole.take(range(count), axes[depth])

    def tree(self, of):
        """Arguments in their containers, `of` each input."""
        return [of(g) if isinstance(g, str) else {name: of(name) for name in g} for g in self.groups]

    def text(self):
        """What a person needs to see the case."""
        lines = [self.program.source(self.outputs)]
        for level in self.levels:
            lines.append(f"vmap of {level.count}: in_axes {level.in_axes}, out_axes {level.out_axes}")
        lines.append(f"arguments {self.groups}, sizes {self.sizes}")
        lines += [f"{v.name} = {self.stacked(v.name)!r}  # {v.dtype}{v.dims}" for v in self.program.inputs]
        return "\n".join(lines)


def _reached(program, names):
    """The values that depend on one of the inputs."""
    reached = set(names)
    for value, step in program.steps:
        if reached & {v.name for v in step.operands}:
            reached.add(value.name)
    return reached


def _levels(generator, program, outputs):
    levels, depth = [], 2 if generator.chance(0.3) else 1
    ranks = {v.name: v.rank for v in program.inputs}
    for _ in range(depth):  # from the innermost
        in_axes = {}
        for name, rank in ranks.items():
            in_axes[name] = generator.pick([None, 0, 0, 0, 1, -1])
            if in_axes[name] is not None and not -rank - 1 <= in_axes[name] <= rank:
                in_axes[name] = 0
        if in_axes and all(axis is None for axis in in_axes.values()):
            in_axes[generator.pick(sorted(in_axes))] = 0
        levels.append(Level(generator.pick(COUNTS), in_axes, {}))
        for name, axis in in_axes.items():
            ranks[name] += axis is not None
    ranks = {v.name: v.rank for v in outputs}
    for level in levels:
        reached = _reached(program, [name for name, axis in level.in_axes.items() if axis is not None])
        for name, rank in ranks.items():
            level.out_axes[name] = generator.pick([0, 0, -1, int(generator.rng.integers(-rank - 1, rank + 1))])
            if name not in reached and generator.chance(0.5):
                level.out_axes[name] = None
            else:
                ranks[name] += 1
    return levels[::-1]


def make_batch(generator, length):
    """A program of that length under one vmap or two."""
    program = generator.program(length)
    while not program.inputs:
        program = generator.program(len(generator.steps) + 1)
    outputs, sizes = program.outputs(), program.calls[0].sizes
    batch = Batch(program, outputs, _levels(generator, program, outputs), sizes, {}, [])
    for v in program.inputs:
        for place in {batch._own(v.name, place) for place in batch.places()}:
            batch.instances[v.name, place] = generator.fills[v.name](generator.rng, shape_at(v.dims, sizes), sizes)
        if batch.groups and not generator.symbols and generator.chance(0.3):
            last = batch.groups.pop()
            batch.groups.append([*([last] if isinstance(last, str) else last), v.name])
        else:
            batch.groups.append(v.name)
    return batch
