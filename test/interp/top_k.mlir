// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.top_k: the k largest or smallest elements of each row in order; of equal ones the first. By hand.

// CHECK: largest =
// CHECK-NEXT{LITERAL}: [[9 9 5]
// CHECK-NEXT{LITERAL}:  [4 3 3]]
// CHECK: largest#1 =
// CHECK-NEXT{LITERAL}: [[1 3 0]
// CHECK-NEXT{LITERAL}:  [3 0 1]]
// CHECK: smallest =
// CHECK-NEXT{LITERAL}: [[2 5]
// CHECK-NEXT{LITERAL}:  [1 3]]
// CHECK: smallest#1 =
// CHECK-NEXT{LITERAL}: [[2 0]
// CHECK-NEXT{LITERAL}:  [2 0]]
// CHECK: invalid =
// CHECK-NEXT: [nan 0.]
// CHECK: invalid#1 =
// CHECK-NEXT: [2 0]
// CHECK: all =
// CHECK-NEXT: [-0. 0. nan]
// CHECK: all#1 =
// CHECK-NEXT: [0 1 2]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x2xi64>, tensor<2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<3xi32>, tensor<0xf32>) {
  %x = kolam.constant dense<[[5, 9, 2, 9], [3, 3, 1, 4]]> : tensor<2x4xi32>
  %largest:2 = kolam.top_k %x k 3 {largest = true} : (tensor<2x4xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  %smallest:2 = kolam.top_k %x k 2 {largest = false} : (tensor<2x4xi32>) -> (tensor<2x2xi32>, tensor<2x2xi64>)
  // NaN is largest; 0 and -0 are equal, so that the first of them comes
  %y = kolam.constant dense<[0.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %invalid:2 = kolam.top_k %y k 2 {largest = true} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %z = kolam.constant dense<[-0.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %all:2 = kolam.top_k %z k 3 {largest = false} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  %none:2 = kolam.top_k %y k 0 {largest = true} : (tensor<3xf32>) -> (tensor<0xf32>, tensor<0xi32>)
  return %largest#0, %largest#1, %smallest#0, %smallest#1, %invalid#0, %invalid#1, %all#0, %all#1, %none#0 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x2xi64>, tensor<2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<3xi32>, tensor<0xf32>
}
