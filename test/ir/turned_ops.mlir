// RUN: kolam explain %s | FileCheck %s
// RUN: kolam run %s --stop-after nests | FileCheck %s --check-prefix=NESTS
// What becomes of dims that ops name: the transposes around them cancel.

// CHECK: nest0 stores cumulative (turned_ops.mlir:{{[0-9]+}}): D is dim 2, dims stand as 1, 0, 2
// NESTS-NOT: with {{.*}}transpose

func.func @main(%x: tensor<20x30x40xf32>) -> (tensor<20x64x40xf32>, tensor<18x40xf32>) {
  %c = kolam.constant dense<1.0> : tensor<f32>
  %0 = kolam.transpose %x [1, 0, 2] : tensor<20x30x40xf32> -> tensor<30x20x40xf32>
  %1 = kolam.pad %0, %c "constant" low [2, 0, 0] high [0, 0, 0] : tensor<30x20x40xf32>, tensor<f32> -> tensor<32x20x40xf32>
  %2 = kolam.reverse %1 [0] : tensor<32x20x40xf32> -> tensor<32x20x40xf32>
  %3 = kolam.concat %1, %2 dim 0 : (tensor<32x20x40xf32>, tensor<32x20x40xf32>) -> tensor<64x20x40xf32>
  %4 = kolam.cumulative "add" %3 dim 0 {exclusive = false, reverse = false} : tensor<64x20x40xf32> -> tensor<64x20x40xf32>
  %5 = kolam.transpose %4 [1, 0, 2] : tensor<64x20x40xf32> -> tensor<20x64x40xf32>
  %6 = kolam.slice %4 <["0", "1", "0"]> [1, 1, 1] : tensor<64x20x40xf32> -> tensor<64x18x40xf32>
  %7 = kolam.transpose %6 [1, 0, 2] : tensor<64x18x40xf32> -> tensor<18x64x40xf32>
  %8 = kolam.reduce "add" %7 dims [1] commutative true <"chunk<64>"> : (tensor<18x64x40xf32>) -> tensor<18x40xf32>
  return %5, %8 : tensor<20x64x40xf32>, tensor<18x40xf32>
}
