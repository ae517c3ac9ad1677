// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.dynamic_update_slice: a window replaced at a start that only the run knows, moved so that it lies inside. By
// hand.

// CHECK: inside =
// CHECK-NEXT: [ 1 20 30 4]
// CHECK: before =
// CHECK-NEXT: [20 30 3 4]
// CHECK: behind =
// CHECK-NEXT: [ 1 2 20 30]
// CHECK: huge =
// CHECK-NEXT: [ 1 2 20 30]
// CHECK: corner =
// CHECK-NEXT{LITERAL}: [[1 2 3]
// CHECK-NEXT{LITERAL}:  [4 5 9]]
// CHECK: none =
// CHECK-NEXT: [1 2 3 4]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2x3xi32>, tensor<4xi32>, tensor<0xi32>) {
  %x = kolam.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %u = kolam.constant dense<[20, 30]> : tensor<2xi32>
  %one = kolam.constant dense<1> : tensor<i32>
  %low = kolam.constant dense<-128> : tensor<i8>
  %high = kolam.constant dense<9223372036854775807> : tensor<i64>
  %highest = kolam.constant dense<18446744073709551615> : tensor<ui64>
  %inside = kolam.dynamic_update_slice %x, %u[%one] : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %before = kolam.dynamic_update_slice %x, %u[%low] : (tensor<4xi32>, tensor<2xi32>, tensor<i8>) -> tensor<4xi32>
  %behind = kolam.dynamic_update_slice %x, %u[%high] : (tensor<4xi32>, tensor<2xi32>, tensor<i64>) -> tensor<4xi32>
  %huge = kolam.dynamic_update_slice %x, %u[%highest] : (tensor<4xi32>, tensor<2xi32>, tensor<ui64>) -> tensor<4xi32>
  %y = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %nine = kolam.constant dense<9> : tensor<1x1xi32>
  %corner = kolam.dynamic_update_slice %y, %nine[%one, %high] : (tensor<2x3xi32>, tensor<1x1xi32>, tensor<i32>, tensor<i64>) -> tensor<2x3xi32>
  %no = kolam.constant dense<> : tensor<0xi32>
  %none = kolam.dynamic_update_slice %x, %no[%one] : (tensor<4xi32>, tensor<0xi32>, tensor<i32>) -> tensor<4xi32>
  %empty = kolam.dynamic_update_slice %no, %no[%one] : (tensor<0xi32>, tensor<0xi32>, tensor<i32>) -> tensor<0xi32>
  return %inside, %before, %behind, %huge, %corner, %none, %empty : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2x3xi32>, tensor<4xi32>, tensor<0xi32>
}
