// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/x.npy
// RUN: kolam run %t/program.mlir --input x=%t/x.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input x=%t/x.npy --backend cpu | FileCheck %s --match-full-lines
// kolam.empty: what the loop writes is all there is to see; two of one type are not one memory. By hand.

// CHECK: r =
// CHECK-NEXT: {{\[}}[0 1]
// CHECK-NEXT:  [2 3]
// CHECK-NEXT:  [4 5]
// CHECK-NEXT:  [6 7]]
// CHECK: r#1 =
// CHECK-NEXT: {{\[}}[1 0]
// CHECK-NEXT:  [3 2]
// CHECK-NEXT:  [5 4]
// CHECK-NEXT:  [7 6]]

//--- arguments.mlir
func.func @main() -> tensor<4x2xi32> {
  %all = kolam.iota 0 : tensor<8xi32>
  %x = kolam.reshape %all : tensor<8xi32> -> tensor<4x2xi32>
  return %x : tensor<4x2xi32>
}

//--- program.mlir
func.func @main(%x: tensor<4x2xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %four = kolam.constant dense<4> : tensor<i64>
  %zero = kolam.constant dense<0> : tensor<i64>
  %a = kolam.empty : tensor<4x2xi32>
  %b = kolam.empty : tensor<4x2xi32>
  %r:2 = kolam.for from %zero to %four carry(%a, %b) captures(%x, %zero) : (tensor<i64>, tensor<i64>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<i64>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4x2xi32>, %t: tensor<4x2xi32>, %y: tensor<4x2xi32>, %o: tensor<i64>):
    %row = kolam.dynamic_slice %y[%i, %o] : (tensor<4x2xi32>, tensor<i64>, tensor<i64>) -> tensor<1x2xi32>
    %back = kolam.reverse %row [1] : tensor<1x2xi32> -> tensor<1x2xi32>
    %n = kolam.dynamic_update_slice %s, %row[%i, %o] : (tensor<4x2xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x2xi32>
    %m = kolam.dynamic_update_slice %t, %back[%i, %o] : (tensor<4x2xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x2xi32>
    kolam.yield %n, %m : tensor<4x2xi32>, tensor<4x2xi32>
  }
  return %r#0, %r#1 : tensor<4x2xi32>, tensor<4x2xi32>
}
