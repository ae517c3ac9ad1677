// RUN: kolam-opt %s --kolam-simplify | FileCheck %s
// The engine applies rules until none applies, each result a start for the next. The equations themselves are tested
// from their rows, in rules_test.cpp.

// Three turns of a cycle of three dims: merging two leaves one that merges again, until nothing moves.
// CHECK-LABEL: @chain
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @chain(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = kolam.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = kolam.transpose %0 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  %2 = kolam.transpose %1 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// One family opens the way for another: the literal becomes 1, x * 1 is x, and then the negations meet.
// CHECK-LABEL: @families
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @families(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = kolam.constant dense<0.0> : tensor<4xf32>
  %one = kolam.elementwise "exp" %c : (tensor<4xf32>) -> tensor<4xf32>
  %0 = kolam.elementwise "negative" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "multiply" %0, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = kolam.elementwise "negative" %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Bodies are rewritten too.
// CHECK-LABEL: @body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[S:.*]]: tensor<4xf32>):
// CHECK-NEXT: kolam.yield %[[S]]
func.func @body(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.for from %n to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %1 = kolam.reverse %s [0] : tensor<4xf32> -> tensor<4xf32>
    %2 = kolam.reverse %1 [0] : tensor<4xf32> -> tensor<4xf32>
    kolam.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What others read stays, beside its rewritten reader.
// CHECK-LABEL: @shared
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[T:.*]] = kolam.transpose %[[X]]
// CHECK-NEXT: return %[[T]], %[[X]]
func.func @shared(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %0 = kolam.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = kolam.transpose %0 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2x3xf32>
}

// No rule is about an op of several results, and none about one of none.
// CHECK-LABEL: @untouched
// CHECK: kolam.sort
// CHECK: kolam.check
func.func @untouched(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = kolam.sort %x {descending = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  kolam.check %c "bad-value" "expected truth" : tensor<i1>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}
