// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.transpose: dim d of the result is dim permutation[d] of the operand. By hand.

// CHECK: turned =
// CHECK-NEXT{LITERAL}: [[1 4]
// CHECK-NEXT:  [2 5]
// CHECK-NEXT{LITERAL}:  [3 6]]
// CHECK: cycled =
// CHECK-NEXT: [1 3 5 2 4 6]
// CHECK: cycled_back =
// CHECK-NEXT: [1 2 3 4 5 6]
// CHECK: same =
// CHECK-NEXT: [7 8]
// CHECK: scalar =
// CHECK-NEXT: 7
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<3x2xi32>, tensor<6xi32>, tensor<6xi32>, tensor<2xi32>, tensor<i32>, tensor<3x0xi32>) {
  %x = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %turned = kolam.transpose %x [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  // y[0][i][j] becomes z[j][0][i], whose elements are listed in order
  %y = kolam.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>
  %z = kolam.transpose %y [2, 0, 1] : tensor<1x3x2xi32> -> tensor<2x1x3xi32>
  %cycled = kolam.reshape %z : tensor<2x1x3xi32> -> tensor<6xi32>
  %back = kolam.transpose %z [1, 2, 0] : tensor<2x1x3xi32> -> tensor<1x3x2xi32>
  %cycled_back = kolam.reshape %back : tensor<1x3x2xi32> -> tensor<6xi32>
  %v = kolam.constant dense<[7, 8]> : tensor<2xi32>
  %same = kolam.transpose %v [0] : tensor<2xi32> -> tensor<2xi32>
  %s = kolam.constant dense<7> : tensor<i32>
  %scalar = kolam.transpose %s [] : tensor<i32> -> tensor<i32>
  %no = kolam.constant dense<> : tensor<0x3xi32>
  %empty = kolam.transpose %no [1, 0] : tensor<0x3xi32> -> tensor<3x0xi32>
  return %turned, %cycled, %cycled_back, %same, %scalar, %empty : tensor<3x2xi32>, tensor<6xi32>, tensor<6xi32>, tensor<2xi32>, tensor<i32>, tensor<3x0xi32>
}
