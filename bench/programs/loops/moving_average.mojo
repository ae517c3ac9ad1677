comptime Doubles = Pointer[Float64, MutAnyOrigin]


@export("run")
def run(x: Doubles, y: Doubles, n: Int, width: Int) abi("C"):
    var total = Float64(0)
    for i in range(1, width + 1):
        total += x[unsafe_offset=i]
    var share = 1 / Float64(width)
    y[unsafe_offset=0] = total * share
    for i in range(1, n - width):
        total += x[unsafe_offset = i + width] - x[unsafe_offset=i]
        y[unsafe_offset=i] = total * share
