// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.for runs its body once for every i from the lower bound to below the upper one, carrying a state. By hand.

// CHECK: sum =
// CHECK-NEXT: 9
// CHECK: last =
// CHECK-NEXT: 4
// CHECK: none =
// CHECK-NEXT: [1 2]
// CHECK: a =
// CHECK-NEXT: 8
// CHECK: a#1 =
// CHECK-NEXT: 5
// CHECK: kept =
// CHECK-NEXT: [1 2]
// CHECK: nested =
// CHECK-NEXT: 3

func.func @main() -> (tensor<i64>, tensor<i64>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<i32>) {
  // -1 + 0 + 1 + 2 + 3 + 4, and the last i
  %from = kolam.constant dense<-1> : tensor<i64>
  %to = kolam.constant dense<5> : tensor<i64>
  %zero = kolam.constant dense<0> : tensor<i64>
  %sum, %last = kolam.for from %from to %to carry(%zero, %zero) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %s: tensor<i64>, %l: tensor<i64>):
    %t = kolam.elementwise "add" %s, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %t, %i : tensor<i64>, tensor<i64>
  }
  // the bounds the wrong way round: no turn
  %x = kolam.constant dense<[1, 2]> : tensor<2xi32>
  %none = kolam.for from %to to %from carry(%x) : (tensor<i64>, tensor<i64>, tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%i: tensor<i64>, %s: tensor<2xi32>):
    %t = kolam.reverse %s [0] : tensor<2xi32> -> tensor<2xi32>
    kolam.yield %t : tensor<2xi32>
  }
  // Fibonacci: both new values are made from the old ones
  %i0 = kolam.constant dense<0> : tensor<i32>
  %i1 = kolam.constant dense<1> : tensor<i32>
  %i5 = kolam.constant dense<5> : tensor<i32>
  %a:2 = kolam.for from %i0 to %i5 carry(%i1, %i0) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
    %t = kolam.elementwise "add" %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %t, %p : tensor<i32>, tensor<i32>
  }
  // an odd number of exchanges of the two carried values, by a body that computes nothing
  %y = kolam.constant dense<[3, 4]> : tensor<2xi32>
  %swapped:2 = kolam.for from %i0 to %i5 carry(%y, %x) : (tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  ^bb0(%i: tensor<i32>, %p: tensor<2xi32>, %q: tensor<2xi32>):
    kolam.yield %q, %p : tensor<2xi32>, tensor<2xi32>
  }
  %kept = kolam.reshape %swapped#0 : tensor<2xi32> -> tensor<2xi32>
  // for i < 3: for j < i: count
  %i3 = kolam.constant dense<3> : tensor<i32>
  %nested = kolam.for from %i0 to %i3 carry(%i0) captures(%i0, %i1) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%i: tensor<i32>, %s: tensor<i32>, %first: tensor<i32>, %step: tensor<i32>):
    %t = kolam.for from %first to %i carry(%s) captures(%step) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32> {
    ^bb0(%j: tensor<i32>, %u: tensor<i32>, %one: tensor<i32>):
      %v = kolam.elementwise "add" %u, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %v : tensor<i32>
    }
    kolam.yield %t : tensor<i32>
  }
  return %sum, %last, %none, %a#0, %a#1, %kept, %nested : tensor<i64>, tensor<i64>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<i32>
}
