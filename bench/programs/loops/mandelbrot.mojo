comptime Floats = Pointer[Float32, MutAnyOrigin]
comptime Ints = Pointer[Int32, MutAnyOrigin]
comptime width = 32


# A block of points stays in registers until all have left.
@export("run")
def run(
    x_given: Floats, y_given: Floats, count_given: Ints, a: Floats, b: Floats, counts: Ints,
    n: Int, m: Int, n1: Int, m1: Int, n2: Int, m2: Int, n3: Int, m3: Int, n4: Int, m4: Int, most: Int,
) abi("C"):
    for i in range(0, n * m, width):
        var re = a.unsafe_load[width=width](i)
        var im = b.unsafe_load[width=width](i)
        var x = x_given.unsafe_load[width=width](i)
        var y = y_given.unsafe_load[width=width](i)
        var count = SIMD[DType.int32, width](0)
        for _ in range(most):
            var xx = x * x
            var yy = y * y
            var inside = (xx + yy).le(4)
            if not inside.reduce_or():
                break
            y = 2 * x * y + im
            x = xx - yy + re
            count += inside.cast[DType.int32]()
        counts.unsafe_store(i, count)
