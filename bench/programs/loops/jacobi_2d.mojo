comptime Floats = Pointer[Float32, MutAnyOrigin]
comptime width = 16


@always_inline
def swept[w: Int](a: Floats, b: Floats, at: Int, m: Int):
    var around = a.unsafe_load[width=w](at - 1) + a.unsafe_load[width=w](at + 1)
    around += a.unsafe_load[width=w](at - m) + a.unsafe_load[width=w](at + m)
    b.unsafe_store(at, Float32(0.2) * (a.unsafe_load[width=w](at) + around))


@export("run")
def run(x: Floats, y: Floats, n: Int, m: Int, steps: Int) abi("C"):
    var other = List[Float32](length=n * m, fill=0)
    var even = steps % 2 == 0
    for i in range(n * m):
        y[unsafe_offset=i] = x[unsafe_offset=i]
        other[i] = x[unsafe_offset=i]
    var scratch = other.unsafe_ptr().unsafe_origin_cast[MutAnyOrigin]()
    var a = y if even else scratch
    var b = scratch if even else y
    for _ in range(steps):
        for i in range(1, n - 1):
            var j = 1
            while j + width <= m - 1:
                swept[width](a, b, i * m + j, m)
                j += width
            while j < m - 1:
                swept[1](a, b, i * m + j, m)
                j += 1
        swap(a, b)
    _ = other^
