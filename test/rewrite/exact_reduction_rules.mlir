// RUN: kolam run %s --stop-after rewritten | FileCheck %s
// Extremes and integers are combined where they lie; sums of floats keep their order.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<6x5x40xf32>, %n: tensor<6x40xi32>) -> (tensor<40x6xf32>, tensor<i32>, tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: %[[SHOWN:.*]] = kolam.transpose %arg0 [2, 1, 0]
  // CHECK-NEXT: %[[LEAST:.*]] = kolam.reduce "minimum" %arg0 dims [1]
  // CHECK-NEXT: kolam.transpose %[[LEAST]] [1, 0]
  %0 = kolam.transpose %x [2, 1, 0] : tensor<6x5x40xf32> -> tensor<40x5x6xf32>
  %1 = kolam.reduce "minimum" %0 dims [1] commutative true <"chunk<64>"> : (tensor<40x5x6xf32>) -> tensor<40x6xf32>
  // CHECK-NEXT: %[[FIRST:.*]] = kolam.reduce "add" %arg1 dims [0, 1]
  // CHECK-NEXT: %[[SECOND:.*]] = kolam.reduce "add" %arg1 dims [0, 1]
  // CHECK-NEXT: kolam.elementwise "add" %[[FIRST]], %[[SECOND]]
  %2 = kolam.reverse %n [0, 1] : tensor<6x40xi32> -> tensor<6x40xi32>
  %3 = kolam.concat %2, %n dim 1 : (tensor<6x40xi32>, tensor<6x40xi32>) -> tensor<6x80xi32>
  %4 = kolam.reduce "add" %3 dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<6x80xi32>) -> tensor<i32>
  // CHECK-NEXT: kolam.reduce "add" %[[SHOWN]] dims [0, 1, 2]
  // CHECK-NEXT: kolam.reduce "maximum" %arg0 dims [0, 1, 2]
  %5 = kolam.reduce "add" %0 dims [0, 1, 2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<40x5x6xf32>) -> tensor<f32>
  %6 = kolam.reduce "maximum" %0 dims [0, 1, 2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<40x5x6xf32>) -> tensor<f32>
  return %1, %4, %5, %6 : tensor<40x6xf32>, tensor<i32>, tensor<f32>, tensor<f32>
}
