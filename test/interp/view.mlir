// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.view shows elements at affine functions of the index. By hand.

// CHECK: windows =
// CHECK-NEXT{LITERAL}: [[1 2 3]
// CHECK-NEXT{LITERAL}:  [3 4 5]]
// CHECK: backwards =
// CHECK-NEXT: [5 3 1]
// CHECK: diagonal =
// CHECK-NEXT: [2 6]
// CHECK: one =
// CHECK-NEXT{LITERAL}: [[6 6]
// CHECK-NEXT{LITERAL}:  [6 6]]
// CHECK: scalar =
// CHECK-NEXT: 4
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<0xi32>) {
  %x = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %windows = kolam.view %x <["0"]> [2, 1] : tensor<5xi32> -> tensor<2x3xi32>
  %backwards = kolam.view %x <["4"]> [-2] : tensor<5xi32> -> tensor<3xi32>
  %y = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %diagonal = kolam.view %y <["0", "1"]> [1, 1] : tensor<2x3xi32> -> tensor<2xi32>
  %one = kolam.view %y <["1", "2"]> [0, 0, 0, 0] : tensor<2x3xi32> -> tensor<2x2xi32>
  %scalar = kolam.view %y <["1", "0"]> [] : tensor<2x3xi32> -> tensor<i32>
  %no = kolam.constant dense<> : tensor<0xi32>
  %none = kolam.view %no <["0"]> [7] : tensor<0xi32> -> tensor<0xi32>
  return %windows, %backwards, %diagonal, %one, %scalar, %none : tensor<2x3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<0xi32>
}
