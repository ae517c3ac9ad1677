// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.sort is stable in both orders, takes -0 as equal to +0 and NaN as largest. By hand.

// CHECK: up =
// CHECK-NEXT: [-inf -0. 0. 1. 2. nan nan]
// CHECK: up#1 =
// CHECK-NEXT: [6 2 3 4 0 1 5]
// CHECK: down =
// CHECK-NEXT: [ nan nan 2. 1. -0. 0. -inf]
// CHECK: down#1 =
// CHECK-NEXT: [1 5 0 4 2 3 6]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[ 1 1 2 3]
// CHECK-NEXT{LITERAL}:  [-128 0 127 127]]
// CHECK: rows#1 =
// CHECK-NEXT{LITERAL}: [[1 3 2 0]
// CHECK-NEXT{LITERAL}:  [2 3 0 1]]
// CHECK: rows_down#1 =
// CHECK-NEXT{LITERAL}: [[0 2 1 3]
// CHECK-NEXT{LITERAL}:  [0 1 3 2]]
// CHECK: bytes =
// CHECK-NEXT: [ 5 200 255]
// CHECK: flags#1 =
// CHECK-NEXT: [1 3 0 2]
// CHECK: one#1 =
// CHECK-NEXT{LITERAL}: [[0]
// CHECK-NEXT{LITERAL}:  [0]]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<7xf32>, tensor<7xi32>, tensor<7xf32>, tensor<7xi64>, tensor<2x4xi8>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<3xui8>, tensor<4xi32>, tensor<2x1xi32>, tensor<2x0xf32>) {
  // the second NaN is negative
  %x = kolam.constant dense<[2.0, 0x7FC00000, -0.0, 0.0, 1.0, 0xFFC00000, 0xFF800000]> : tensor<7xf32>
  %up:2 = kolam.sort %x {descending = false} : (tensor<7xf32>) -> (tensor<7xf32>, tensor<7xi32>)
  %down:2 = kolam.sort %x {descending = true} : (tensor<7xf32>) -> (tensor<7xf32>, tensor<7xi64>)
  %y = kolam.constant dense<[[3, 1, 2, 1], [127, 127, -128, 0]]> : tensor<2x4xi8>
  %rows:2 = kolam.sort %y {descending = false} : (tensor<2x4xi8>) -> (tensor<2x4xi8>, tensor<2x4xi32>)
  %rows_down:2 = kolam.sort %y {descending = true} : (tensor<2x4xi8>) -> (tensor<2x4xi8>, tensor<2x4xi32>)
  %u = kolam.constant dense<[200, 5, 255]> : tensor<3xui8>
  %bytes:2 = kolam.sort %u {descending = false} : (tensor<3xui8>) -> (tensor<3xui8>, tensor<3xi32>)
  %b = kolam.constant dense<[true, false, true, false]> : tensor<4xi1>
  %flags:2 = kolam.sort %b {descending = false} : (tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi32>)
  %thin = kolam.constant dense<[[5], [4]]> : tensor<2x1xi32>
  %one:2 = kolam.sort %thin {descending = true} : (tensor<2x1xi32>) -> (tensor<2x1xi32>, tensor<2x1xi32>)
  %no = kolam.constant dense<> : tensor<2x0xf32>
  %none:2 = kolam.sort %no {descending = false} : (tensor<2x0xf32>) -> (tensor<2x0xf32>, tensor<2x0xi32>)
  return %up#0, %up#1, %down#0, %down#1, %rows#0, %rows#1, %rows_down#1, %bytes#0, %flags#1, %one#1, %none#0 : tensor<7xf32>, tensor<7xi32>, tensor<7xf32>, tensor<7xi64>, tensor<2x4xi8>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<3xui8>, tensor<4xi32>, tensor<2x1xi32>, tensor<2x0xf32>
}
