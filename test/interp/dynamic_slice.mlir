// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.dynamic_slice: a window at a start that only the run knows, moved so that it lies inside. By hand.

// CHECK: inside =
// CHECK-NEXT: [2 3]
// CHECK: before =
// CHECK-NEXT: [1 2]
// CHECK: behind =
// CHECK-NEXT: [3 4]
// CHECK: huge =
// CHECK-NEXT: [3 4]
// CHECK: corner =
// CHECK-NEXT{LITERAL}: [[6]]
// CHECK: whole =
// CHECK-NEXT: [1 2 3 4]
// CHECK: none =
// CHECK-NEXT: []
// CHECK: scalar =
// CHECK-NEXT: 1

func.func @main() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1x1xi32>, tensor<4xi32>, tensor<0xi32>, tensor<i32>) {
  %x = kolam.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %one = kolam.constant dense<1> : tensor<i32>
  %low = kolam.constant dense<-128> : tensor<i8>
  %high = kolam.constant dense<9223372036854775807> : tensor<i64>
  %highest = kolam.constant dense<18446744073709551615> : tensor<ui64>
  %inside = kolam.dynamic_slice %x[%one] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  %before = kolam.dynamic_slice %x[%low] : (tensor<4xi32>, tensor<i8>) -> tensor<2xi32>
  %behind = kolam.dynamic_slice %x[%high] : (tensor<4xi32>, tensor<i64>) -> tensor<2xi32>
  %huge = kolam.dynamic_slice %x[%highest] : (tensor<4xi32>, tensor<ui64>) -> tensor<2xi32>
  %y = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %corner = kolam.dynamic_slice %y[%one, %high] : (tensor<2x3xi32>, tensor<i32>, tensor<i64>) -> tensor<1x1xi32>
  %whole = kolam.dynamic_slice %x[%one] : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %none = kolam.dynamic_slice %x[%high] : (tensor<4xi32>, tensor<i64>) -> tensor<0xi32>
  %scalar = kolam.dynamic_slice %one[] : (tensor<i32>) -> tensor<i32>
  return %inside, %before, %behind, %huge, %corner, %whole, %none, %scalar : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1x1xi32>, tensor<4xi32>, tensor<0xi32>, tensor<i32>
}
