// RUN: split-file %s %t
// RUN: kolam run %t/layers.mlir --stop-after nests | FileCheck %s --check-prefix=LAYERS
// RUN: kolam run %t/others.mlir --stop-after nests | FileCheck %s --check-prefix=OTHERS
// One place of the first dims of an argument is a piece of its memory: nests that differ only in the place are one.

// LAYERS: [[W:b[0-9]+]]: float32[3, 2, 16, 16] argument 1
// LAYERS: float32[1, 1, 16, 16] argument 1 in [[W]] at 1024
// LAYERS: [[FIRST:b[0-9]+]]: float32[16, 16] argument 1 in [[W]] at 1024
// LAYERS: float32[1, 2, 16, 16] argument 1 in [[W]] at 4096
// LAYERS: [[SECOND:b[0-9]+]]: float32[16, 16] argument 1 in [[W]] at 5120
// LAYERS: nest0: {{b[0-9]+}} = contract({{b[0-9]+}}, [[FIRST]])
// LAYERS: nest1: {{b[0-9]+}} = contract({{b[0-9]+}}, [[SECOND]])

//--- layers.mlir
func.func @main(%x: tensor<20x16xf32>, %w: tensor<3x2x16x16xf32>) -> tensor<20x16xf32> {
  %0 = kolam.slice %w <["0", "1", "0", "0"]> [1, 1, 1, 1] : tensor<3x2x16x16xf32> -> tensor<1x1x16x16xf32>
  %1 = kolam.squeeze %0 [0, 1] : tensor<1x1x16x16xf32> -> tensor<16x16xf32>
  %2 = kolam.contract "ij,jk->ik" %x, %1 <"chain<512>"> : (tensor<20x16xf32>, tensor<16x16xf32>) -> tensor<20x16xf32>
  %3 = kolam.slice %w <["2", "0", "0", "0"]> [1, 1, 1, 1] : tensor<3x2x16x16xf32> -> tensor<1x2x16x16xf32>
  %4 = kolam.view %3 <["0", "1", "0", "0"]> [0, 0, 0, 0, 1, 0, 0, 1] : tensor<1x2x16x16xf32> -> tensor<16x16xf32>
  %5 = kolam.contract "ij,jk->ik" %2, %4 <"chain<512>"> : (tensor<20x16xf32>, tensor<16x16xf32>) -> tensor<20x16xf32>
  return %5 : tensor<20x16xf32>
}

// Not where elements lie apart, are some of a row or less than a line, of what is computed or changed, and of results.
// OTHERS-NOT: argument {{.*}} in b
// OTHERS: arena: {{[0-9]+}} bytes

//--- others.mlir
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %z: tensor<3x15xf32>) -> (tensor<1x8xf32>, tensor<1x16xf32>, tensor<8x16xf32>, tensor<1x16xf32>, tensor<1x15xf32>) {
  %0 = kolam.slice %x <["1", "4"]> [1, 1] : tensor<8x16xf32> -> tensor<1x8xf32>
  %1 = kolam.slice %x <["0", "3"]> [1, 1] : tensor<8x16xf32> -> tensor<8x1xf32>
  %2 = kolam.transpose %1 [1, 0] : tensor<8x1xf32> -> tensor<1x8xf32>
  %3 = kolam.elementwise "add" %0, %2 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %4 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<8x16xf32> -> tensor<8x16xf32>
  %5 = kolam.slice %4 <["2", "0"]> [1, 1] : tensor<8x16xf32> -> tensor<1x16xf32>
  %6 = kolam.elementwise "negative" %5 : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %7 = kolam.slice %y <["2", "0"]> [1, 1] : tensor<8x16xf32> -> tensor<1x16xf32>
  %8 = kolam.elementwise "negative" %7 : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %c = kolam.constant dense<0> : tensor<i32>
  %9 = kolam.dynamic_update_slice %y, %8 [%c, %c] : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  %10 = kolam.slice %x <["7", "0"]> [1, 1] : tensor<8x16xf32> -> tensor<1x16xf32>
  %11 = kolam.slice %z <["1", "0"]> [1, 1] : tensor<3x15xf32> -> tensor<1x15xf32>
  %12 = kolam.elementwise "negative" %11 : (tensor<1x15xf32>) -> tensor<1x15xf32>
  return %3, %6, %9, %10, %12 : tensor<1x8xf32>, tensor<1x16xf32>, tensor<8x16xf32>, tensor<1x16xf32>, tensor<1x15xf32>
}
