// RUN: kolam explain %s | FileCheck %s
// A reduce whose state is of another type than its elements is a fold, and says so.

// CHECK: list_scan (reduce_as_fold.mlir:[[#@LINE+6]]): a reduce that is a fold, left to right, as its state float32[] is not of its elements' type int32[]
// CHECK: list_scan (reduce_as_fold.mlir:[[#@LINE+12]]): a reduce that is a fold, left to right, as its state has not the structure of its elements
// CHECK-NOT: a reduce that is a fold
func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n"]>>) -> (tensor<f32>, tensor<i32>, tensor<i32>) {
  %list = kolam.pack %numbers : (tensor<?xi32, #kolam.extents<["n"]>>) -> !kolam.list<tensor<i32>>
  %zero = kolam.constant dense<0.0> : tensor<f32>
  %0:2 = kolam.list_scan carry(%zero) over(%list) reverse false associative false {is_reduce} : (tensor<f32>, !kolam.list<tensor<i32>>) -> (tensor<f32>, !kolam.list<tensor<f32>>) {
  ^bb0(%state: tensor<f32>, %x: tensor<i32>):
    %y = kolam.cast %x : tensor<i32> -> tensor<f32>
    %sum = kolam.elementwise "add" %state, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %sum : tensor<f32>
  }
  %start = kolam.constant dense<0> : tensor<i32>
  %1:2 = kolam.list_scan carry(%start) over(%list) reverse false associative false {is_reduce} : (tensor<i32>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
  ^bb0(%state: tensor<i32>, %x: tensor<i32>):
    %sum = kolam.elementwise "add" %state, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %sum : tensor<i32>
  }
  %2:2 = kolam.list_scan carry(%start) over(%list) reverse false associative false : (tensor<i32>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
  ^bb0(%state: tensor<i32>, %x: tensor<i32>):
    %sum = kolam.elementwise "add" %state, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %sum : tensor<i32>
  }
  return %0#0, %1#0, %2#0 : tensor<f32>, tensor<i32>, tensor<i32>
}
