// RUN: kolam explain %s | FileCheck %s
// RUN: kolam run %s --stop-after nests | FileCheck %s --check-prefix=NESTS
// Transposes around ops cancel where values between them may stand with their dims in another order.

// CHECK: nest0 stores exp (axis_orders.mlir:{{[0-9]+}}): D is dim 0, dims stand as 1, 0; the next best order costs {{[0-9]+}} operations more
// CHECK: nest1 stores reduce (axis_orders.mlir:{{[0-9]+}}): D is dim 0, its only one
// CHECK: nest3 stores tanh (axis_orders.mlir:{{[0-9]+}}): D is dim 1, no transpose leads to another; the next best order costs {{[0-9]+}} operations more

// Functions of elements and a sum that keeps its order of accumulation; the result is row-major again.
// NESTS: nest0: {{.*}} = exp(b0) over [0:64]
// NESTS-NOT: transpose
// NESTS: nest1: {{.*}} = reduce(
// NESTS-NOT: transpose
// NESTS: nest2: {{.*}} = divide(
// NESTS-NOT: transpose
// A program without transposes stays as it is.
// NESTS: nest3: {{.*}} = tanh(

func.func @main(%x: tensor<64x256xf32>, %y: tensor<64x256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %0 = kolam.transpose %x [1, 0] : tensor<64x256xf32> -> tensor<256x64xf32>
  %1 = kolam.elementwise "exp" %0 : (tensor<256x64xf32>) -> tensor<256x64xf32>
  %2 = kolam.reduce "add" %1 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<256x64xf32>) -> tensor<256xf32>
  %3 = kolam.broadcast %2 [0] : tensor<256xf32> -> tensor<256x64xf32>
  %4 = kolam.elementwise "divide" %1, %3 : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  %5 = kolam.transpose %4 [1, 0] : tensor<256x64xf32> -> tensor<64x256xf32>
  %6 = kolam.elementwise "tanh" %y : (tensor<64x256xf32>) -> tensor<64x256xf32>
  return %5, %6 : tensor<64x256xf32>, tensor<64x256xf32>
}
