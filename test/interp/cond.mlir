// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.cond runs one branch: a bool picks branch 0 for false and 1 for true, an integer is clipped to the branches.

// CHECK: no =
// CHECK-NEXT: 10
// CHECK: yes =
// CHECK-NEXT: 20
// CHECK: below =
// CHECK-NEXT: [ 10 -20]
// CHECK: middle =
// CHECK-NEXT: [-20 10]
// CHECK: above =
// CHECK-NEXT: [0 0]

func.func @main() -> (tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %false = kolam.constant dense<false> : tensor<i1>
  %true = kolam.constant dense<true> : tensor<i1>
  %a = kolam.constant dense<10> : tensor<i32>
  %b = kolam.constant dense<20> : tensor<i32>
  %no = kolam.cond %false captures(%a, %b) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    kolam.yield %x : tensor<i32>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    kolam.yield %y : tensor<i32>
  }
  %yes = kolam.cond %true captures(%a, %b) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    kolam.yield %x : tensor<i32>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    kolam.yield %y : tensor<i32>
  }
  %pair = kolam.constant dense<[10, -20]> : tensor<2xi32>
  %low = kolam.constant dense<-128> : tensor<i8>
  %one = kolam.constant dense<1> : tensor<i64>
  %high = kolam.constant dense<9223372036854775808> : tensor<ui64>
  %below = kolam.cond %low captures(%pair) : (tensor<i8>, tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%x: tensor<2xi32>):
    kolam.yield %x : tensor<2xi32>
  }, {
  ^bb0(%x: tensor<2xi32>):
    %y = kolam.reverse %x [0] : tensor<2xi32> -> tensor<2xi32>
    kolam.yield %y : tensor<2xi32>
  }
  %middle = kolam.cond %one captures(%pair) : (tensor<i64>, tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%x: tensor<2xi32>):
    kolam.yield %x : tensor<2xi32>
  }, {
  ^bb0(%x: tensor<2xi32>):
    %y = kolam.reverse %x [0] : tensor<2xi32> -> tensor<2xi32>
    kolam.yield %y : tensor<2xi32>
  }, {
  ^bb0(%x: tensor<2xi32>):
    kolam.yield %x : tensor<2xi32>
  }
  %above = kolam.cond %high captures(%pair) : (tensor<ui64>, tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%x: tensor<2xi32>):
    kolam.yield %x : tensor<2xi32>
  }, {
  ^bb0(%x: tensor<2xi32>):
    %y = kolam.elementwise "subtract" %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    kolam.yield %y : tensor<2xi32>
  }
  return %no, %yes, %below, %middle, %above : tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}
