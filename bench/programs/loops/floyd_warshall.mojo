comptime Floats = Pointer[Float32, MutAnyOrigin]
comptime width = 16


@always_inline
def shortened[w: Int](d: Floats, through: Float32, to: Int, by: Int):
    var direct = d.unsafe_load[width=w](to)
    d.unsafe_store(to, min(direct, through + d.unsafe_load[width=w](by)))


@export("run")
def run(given: Floats, d: Floats, n: Int, n1: Int) abi("C"):
    for i in range(n * n):
        d[unsafe_offset=i] = given[unsafe_offset=i]
    for k in range(n):
        for i in range(n):
            var through = d[unsafe_offset = i * n + k]
            var j = 0
            while j + width <= n:
                shortened[width](d, through, i * n + j, k * n + j)
                j += width
            while j < n:
                shortened[1](d, through, i * n + j, k * n + j)
                j += 1
