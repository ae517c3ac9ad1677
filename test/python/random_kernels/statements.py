"""Random statements of kernels. Both libraries run them with the same seed: what is drawn depends on shapes alone, and each body
draws from a generator of its own."""

import numpy as np

MOST = 120  # elements of a view


class Body:
    """Refs and numbers that statements use; `writable` are those Refs that they may change."""

    def __init__(self, library, readable, writable, numbers, rank):
        self.library, self.readable, self.writable = library, list(readable), list(writable)
        self.numbers, self.rank = list(numbers), rank

    @property
    def is_float(self):
        return self.library.is_float

    def inner(self, refs=(), numbers=()):
        return Body(self.library, [*self.readable, *refs], [*self.writable, *refs], [*self.numbers, *numbers], self.rank)

    def run(self, seed, depth=0, most=4):
        rng = np.random.default_rng(seed)
        for _ in range(rng.integers(1, most)):
            self.statement(rng, depth)

    # Numbers.

    def number(self, rng):
        """An int32 scalar of a small range around 0."""
        kind = rng.integers(4)
        if kind == 0 or not self.numbers:
            return self.library.array(np.int32(rng.integers(-3, 6)))
        number = self.numbers[rng.integers(len(self.numbers))]
        return number if kind == 1 else (number + int(rng.integers(-3, 4))) % int(rng.integers(2, 7)) - int(rng.integers(0, 3))

    def holds(self, rng):
        """A boolean scalar."""
        return self.number(rng) % int(rng.integers(2, 4)) != int(rng.integers(0, 3))

    def as_number(self, value):
        """An int32 scalar from values of the Refs."""
        xp = self.library.xp
        if value.size == 0:
            return self.library.array(np.int32(2))
        if self.is_float:
            return xp.sum((value > 1).astype(xp.int32), dtype=xp.int32)
        return xp.sum(value, dtype=value.dtype).astype(xp.int32) % 7

    # Values.

    def view(self, rng, ref):
        for _ in range(rng.integers(0, 4)):
            shape = ref.shape
            kind = rng.integers(5)
            if kind == 0 and len(shape) > 1:
                ref = ref.transpose([int(n) for n in rng.permutation(len(shape))])
            elif kind == 1:
                ref = ref.reshape(random_factors(rng, int(np.prod(shape))))
            elif shape:
                ref = self.library.at(ref, self.index(rng, shape))
        return ref

    def index(self, rng, shape):
        items, is_array, count = [], False, 1
        for dim, extent in enumerate(shape):
            kind = rng.choice(["all", "integer", "number", "slice", "ds", "dynamic ds", "array", "dynamic array"], p=[0.3, 0.1, 0.1, 0.14, 0.08, 0.12, 0.08, 0.08])
            if extent == 0 or (is_array and kind.endswith("array") and rng.random() < 0.5):
                kind = "all"
            size = int(rng.integers(1, 4))
            if kind == "all":
                items.append(slice(None))
                count *= extent
            elif kind == "integer":
                items.append(int(rng.integers(-extent, extent)))
            elif kind == "number":
                items.append(self.number(rng))
            elif kind == "slice":
                a, b = (int(n) for n in rng.integers(-extent - 1, extent + 2, 2))
                items.append(slice(a if rng.random() < 0.7 else None, b if rng.random() < 0.5 else None, int(rng.choice([1, 2, -1, -2, 3]))))
                count *= extent
            elif kind == "ds":
                size = min(size, extent)
                stride = int(rng.integers(1, 3)) if size * 2 <= extent else 1
                start = int(rng.integers(0, extent - (size - 1) * stride))
                items.append(self.library.ds(start, size, stride))
                count *= size
            elif kind == "dynamic ds":
                items.append(self.library.ds(self.number(rng), size, int(rng.choice([1, 1, 2, -1]))))
                count *= size
            else:
                places = rng.integers(-extent, extent, [size] if not is_array else [2, 1] if rng.random() < 0.5 else [1]).astype(np.int32)
                places = self.library.array(places)
                items.append(places + self.number(rng) if kind.startswith("dynamic") else places)
                count *= 2 * size
                is_array = True
            if count > MOST:
                items[-1] = int(rng.integers(-extent, extent))
                count = MOST // 2
        while items and isinstance(items[-1], slice) and items[-1] == slice(None) and rng.random() < 0.5:
            items.pop()
        if rng.random() < 0.1:
            items.append(...)
        return tuple(items) if items else ...

    def mask(self, rng, shape):
        """Booleans of a shape, or None."""
        if rng.random() < 0.6:
            return None
        xp, count = self.library.xp, int(np.prod(shape))
        numbers = xp.arange(count, dtype=xp.int32).reshape(shape)
        if rng.random() < 0.5:
            return numbers < self.number(rng) + count // 2
        return (numbers + self.number(rng)) % 3 != 1

    def read(self, rng):
        ref = self.view(rng, self.readable[rng.integers(len(self.readable))])
        mask = self.mask(rng, ref.shape)
        other = int(rng.integers(0, 9)) if mask is not None and rng.random() < 0.6 else None
        return self.library.load(ref, mask, other)

    def fit(self, rng, value, shape):
        """A function of the elements, of another shape."""
        xp, size = self.library.xp, value.size
        if value.shape == shape and rng.random() < 0.8:
            return value
        if size == 0 or int(np.prod(shape)) == 0:
            return xp.zeros(shape, dtype=value.dtype)
        kind = rng.integers(3)
        if kind == 0 and value.ndim and not self.is_float:
            axis = int(rng.integers(value.ndim))
            value = xp.sum(value, axis=axis, dtype=value.dtype)
        elif kind == 1 and value.ndim:
            value = xp.max(value, axis=int(rng.integers(value.ndim)))
        if kind == 2 and value.ndim and shape and value.shape[-1] == shape[-1]:
            return xp.broadcast_to(xp.max(value.reshape((-1, shape[-1])), axis=0), shape)
        size, count = int(np.prod(value.shape)), int(np.prod(shape))
        places = (np.arange(count) * int(rng.integers(1, 4)) + int(rng.integers(size))) % size
        return xp.take(value.reshape((-1,)), self.library.array(places.astype(np.int32))).reshape(shape)

    def value(self, rng, shape):
        xp = self.library.xp
        value = self.fit(rng, self.read(rng), shape)
        kind = rng.integers(6)
        if kind == 0:
            return value + self.fit(rng, self.read(rng), shape)
        if kind == 1:
            return xp.minimum(value, self.fit(rng, self.read(rng), shape))
        if kind == 2:
            return value - self.number(rng).astype(value.dtype)
        if kind == 3:
            return value * 2 + 1
        if kind == 4 and shape:
            return xp.where(xp.arange(int(np.prod(shape)), dtype=xp.int32).reshape(shape) % 2 == 0, value, self.fit(rng, self.read(rng), shape))
        return value

    # Statements.

    def target(self, rng):
        return self.view(rng, self.writable[rng.integers(len(self.writable))])

    def statement(self, rng, depth):
        kinds = ["write", "update", "number", "select", "exchange"]
        weights = [6, 2, 1, 0.7, 0.7]
        if depth < 2:
            kinds += ["when", "loop", "fori", "while", "cond", "scoped", "scan"]
            weights += [2, 1, 0.7, 0.7, 1, 0.5, 0.5]
        getattr(self, "do_" + rng.choice(kinds, p=np.array(weights) / sum(weights)))(rng, depth)

    def do_write(self, rng, depth):
        ref = self.target(rng)
        value = self.value(rng, ref.shape) if rng.random() < 0.85 else int(rng.integers(0, 9))
        self.library.store(ref, value, self.mask(rng, ref.shape))

    def do_update(self, rng, depth):
        ref = self.target(rng)
        kinds = ["atomic_add", "atomic_max", "atomic_min", "atomic_xchg", "swap"]
        kind = rng.choice(kinds if self.is_float else kinds + ["atomic_and", "atomic_or", "atomic_xor"])
        old = self.library.update(kind, ref, self.value(rng, ref.shape), self.mask(rng, ref.shape))
        if rng.random() < 0.5:
            self.numbers.append(self.as_number(old))

    def do_exchange(self, rng, depth):
        ref = self.target(rng)
        compare = self.fit(rng, self.library.load(ref), ref.shape) if rng.random() < 0.6 else self.value(rng, ref.shape)
        old = self.library.exchange(ref, compare, self.value(rng, ref.shape), self.mask(rng, ref.shape))
        if rng.random() < 0.5:
            self.numbers.append(self.as_number(old))

    def do_number(self, rng, depth):
        self.numbers.append(self.as_number(self.read(rng)))

    def do_select(self, rng, depth):
        shape = self.writable[rng.integers(len(self.writable))].shape
        refs = [ref for ref in self.writable if ref.shape == shape]
        chosen = self.library.select(self.number(rng), *[refs[rng.integers(len(refs))] for _ in range(rng.integers(1, 4))])
        ref = self.view(rng, chosen)
        self.numbers.append(self.as_number(self.library.load(ref)))
        self.library.store(ref, self.value(rng, ref.shape), self.mask(rng, ref.shape))

    def do_when(self, rng, depth):
        seed, holds = int(rng.integers(2**32)), self.holds(rng)
        self.library.when(holds)(lambda: self.inner().run(seed, depth + 1))

    def do_loop(self, rng, depth):
        seed, count = int(rng.integers(2**32)), self.number(rng) if rng.random() < 0.5 else int(rng.integers(0, 4))
        self.library.loop(int(rng.integers(-1, 2)), count, lambda i: self.inner(numbers=[i]).run(seed, depth + 1, 3))

    def do_fori(self, rng, depth):
        seed, init = int(rng.integers(2**32)), self.number(rng)

        def body(i, carried):
            inner = self.inner(numbers=[i, carried])
            inner.run(seed, depth + 1, 3)
            return inner.number(np.random.default_rng(seed + 1)) + i

        self.numbers.append(self.library.fori_loop(0, int(rng.integers(0, 4)), body, init))

    def do_while(self, rng, depth):
        seed, init = int(rng.integers(2**32)), self.number(rng)

        def condition(state):
            body = self.inner(numbers=[state[0]])
            number = body.as_number(body.read(np.random.default_rng(seed + 1)))
            return (state[0] < 3) & (number != 4)

        def body(state):
            inner = self.inner(numbers=[state[0], state[1]])
            inner.run(seed, depth + 1, 3)
            return state[0] + 1, inner.number(np.random.default_rng(seed + 2)) + state[0]

        self.numbers.append(self.library.while_loop(condition, body, (self.library.array(np.int32(0)), init))[1])

    def do_cond(self, rng, depth):
        first, second = (int(n) for n in rng.integers(2**32, size=2))

        def branch(seed):
            def body(number):
                inner = self.inner(numbers=[number])
                inner.run(seed, depth + 1, 3)
                return inner.number(np.random.default_rng(seed)) + 1

            return body

        self.numbers.append(self.library.cond(self.holds(rng), branch(first), branch(second), self.number(rng)))

    def do_scan(self, rng, depth):
        seed, xs = int(rng.integers(2**32)), self.library.array(rng.integers(-2, 3, rng.integers(1, 4)).astype(np.int32))

        def body(state, x):
            inner = self.inner(numbers=[state, x])
            inner.run(seed, depth + 1, 3)
            return inner.number(np.random.default_rng(seed)) + x, state - x

        state, results = self.library.scan(body, self.number(rng), xs)
        self.numbers += [state, self.library.xp.sum(results, dtype=self.library.xp.int32)]

    def do_scoped(self, rng, depth):
        seed = int(rng.integers(2**32))
        self.library.scoped(tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3))), lambda ref: self.inner(refs=[ref]).run(seed, depth + 1))


def random_factors(rng, count):
    """A shape of so many elements."""
    shape = []
    while count > 1 and rng.random() < 0.7:
        factor = int(rng.choice([n for n in range(1, count + 1) if count % n == 0]))
        shape.append(factor)
        count //= factor
    return (*shape, count)
