// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.slice: every step-th element from a start. By hand.

// CHECK: middle =
// CHECK-NEXT: [1 4 7]
// CHECK: end =
// CHECK-NEXT: [8 9]
// CHECK: one =
// CHECK-NEXT: [9]
// CHECK: box =
// CHECK-NEXT{LITERAL}: [[12 14]
// CHECK-NEXT{LITERAL}:  [22 24]]
// CHECK: none =
// CHECK-NEXT: []
// CHECK: scalar =
// CHECK-NEXT: 3

func.func @main() -> (tensor<3xi32>, tensor<2xi32>, tensor<1xi32>, tensor<2x2xi32>, tensor<0xi32>, tensor<i32>) {
  %x = kolam.iota 0 : tensor<10xi32>
  // steps of 3 leave two elements over
  %middle = kolam.slice %x <["1"]> [3] : tensor<10xi32> -> tensor<3xi32>
  %end = kolam.slice %x <["8"]> [1] : tensor<10xi32> -> tensor<2xi32>
  %one = kolam.slice %x <["9"]> [100] : tensor<10xi32> -> tensor<1xi32>
  %y = kolam.constant dense<[[1, 2, 3, 4], [11, 12, 13, 14], [21, 22, 23, 24]]> : tensor<3x4xi32>
  %box = kolam.slice %y <["1", "1"]> [1, 2] : tensor<3x4xi32> -> tensor<2x2xi32>
  // no elements, from beyond the last
  %none = kolam.slice %x <["10"]> [1] : tensor<10xi32> -> tensor<0xi32>
  %three = kolam.constant dense<3> : tensor<i32>
  %scalar = kolam.slice %three <[]> [] : tensor<i32> -> tensor<i32>
  return %middle, %end, %one, %box, %none, %scalar : tensor<3xi32>, tensor<2xi32>, tensor<1xi32>, tensor<2x2xi32>, tensor<0xi32>, tensor<i32>
}
