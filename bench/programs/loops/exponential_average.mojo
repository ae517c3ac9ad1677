comptime Floats = Pointer[Float32, MutAnyOrigin]


@export("run")
def run(x: Floats, y: Floats, n: Int) abi("C"):
    var now = x[unsafe_offset=0]
    for i in range(n):
        now += Float32(0.1) * (x[unsafe_offset=i] - now)
        y[unsafe_offset=i] = now
