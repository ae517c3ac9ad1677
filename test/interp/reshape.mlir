// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.reshape keeps the row-major order of the elements. By hand.

// CHECK: taller =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT:  [3 4]
// CHECK-NEXT{LITERAL}:  [5 6]]
// CHECK: flat =
// CHECK-NEXT: [1 2 3 4 5 6]
// CHECK: transposed =
// CHECK-NEXT: [1 4 2 5 3 6]
// CHECK: split =
// CHECK-NEXT{LITERAL}: [[[1 2 3]]
// CHECK{LITERAL}: [[4 5 6]]]
// CHECK: scalar =
// CHECK-NEXT: 7
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<3x2xi32>, tensor<6xi32>, tensor<6xi32>, tensor<2x1x3xi32>, tensor<i32>, tensor<3x0xi32>) {
  %x = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %taller = kolam.reshape %x : tensor<2x3xi32> -> tensor<3x2xi32>
  %flat = kolam.reshape %x : tensor<2x3xi32> -> tensor<6xi32>
  %t = kolam.transpose %x [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %transposed = kolam.reshape %t : tensor<3x2xi32> -> tensor<6xi32>
  %split = kolam.reshape %x : tensor<2x3xi32> -> tensor<2x1x3xi32>
  %one = kolam.constant dense<7> : tensor<1x1xi32>
  %scalar = kolam.reshape %one : tensor<1x1xi32> -> tensor<i32>
  %no = kolam.constant dense<> : tensor<0x2xi32>
  %empty = kolam.reshape %no : tensor<0x2xi32> -> tensor<3x0xi32>
  return %taller, %flat, %transposed, %split, %scalar, %empty : tensor<3x2xi32>, tensor<6xi32>, tensor<6xi32>, tensor<2x1x3xi32>, tensor<i32>, tensor<3x0xi32>
}
