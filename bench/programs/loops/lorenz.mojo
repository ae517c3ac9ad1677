comptime Floats = Pointer[Float32, MutAnyOrigin]
comptime width = 16


@always_inline
def orbits[w: Int](p: Floats, q: Floats, r: Floats, result: Floats, at: Int, steps: Int):
    comptime V = SIMD[DType.float32, w]
    var x = p.unsafe_load[width=w](at)
    var y = q.unsafe_load[width=w](at)
    var z = r.unsafe_load[width=w](at)
    var less = V(8.0 / 3.0)
    for _ in range(steps):
        var a1 = 10 * (y - x)
        var b1 = x * (28 - z) - y
        var c1 = x * y - less * z
        var u = x + V(0.0025) * a1
        var v = y + V(0.0025) * b1
        var t = z + V(0.0025) * c1
        var a2 = 10 * (v - u)
        var b2 = u * (28 - t) - v
        var c2 = u * v - less * t
        u = x + V(0.0025) * a2
        v = y + V(0.0025) * b2
        t = z + V(0.0025) * c2
        var a3 = 10 * (v - u)
        var b3 = u * (28 - t) - v
        var c3 = u * v - less * t
        u = x + V(0.005) * a3
        v = y + V(0.005) * b3
        t = z + V(0.005) * c3
        x += V(0.005 / 6) * (a1 + 2 * a2 + 2 * a3 + 10 * (v - u))
        y += V(0.005 / 6) * (b1 + 2 * b2 + 2 * b3 + u * (28 - t) - v)
        z += V(0.005 / 6) * (c1 + 2 * c2 + 2 * c3 + u * v - less * t)
    result.unsafe_store(at, x)


@export("run")
def run(x: Floats, y: Floats, z: Floats, result: Floats, n: Int, n1: Int, n2: Int, steps: Int) abi("C"):
    var i = 0
    while i + width <= n:
        orbits[width](x, y, z, result, i, steps)
        i += width
    while i < n:
        orbits[1](x, y, z, result, i, steps)
        i += 1
