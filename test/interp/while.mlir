// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.while runs its body while a condition on its state holds, which is asked before the first turn. By hand.

// CHECK: doubled =
// CHECK-NEXT: 128
// CHECK: untouched =
// CHECK-NEXT: [5 6]
// CHECK: divisor =
// CHECK-NEXT: 6
// CHECK: zero =
// CHECK-NEXT: 0
// CHECK: nested =
// CHECK-NEXT: 6

func.func @main() -> (tensor<i32>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  // doubled until above 100
  %one = kolam.constant dense<1> : tensor<i32>
  %hundred = kolam.constant dense<100> : tensor<i32>
  %doubled = kolam.while carry(%one) captures(%hundred) : (tensor<i32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%s: tensor<i32>, %limit: tensor<i32>):
    %holds = kolam.elementwise "less_equal" %s, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %holds : tensor<i1>
  } do {
  ^bb0(%s: tensor<i32>, %limit: tensor<i32>):
    %t = kolam.elementwise "add" %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %t : tensor<i32>
  }
  %x = kolam.constant dense<[5, 6]> : tensor<2xi32>
  %untouched = kolam.while carry(%x) : (tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%s: tensor<2xi32>):
    %no = kolam.constant dense<false> : tensor<i1>
    kolam.yield %no : tensor<i1>
  } do {
  ^bb0(%s: tensor<2xi32>):
    %t = kolam.reverse %s [0] : tensor<2xi32> -> tensor<2xi32>
    kolam.yield %t : tensor<2xi32>
  }
  // Euclid: (48, 18), (18, 12), (12, 6), (6, 0)
  %a = kolam.constant dense<48> : tensor<i32>
  %b = kolam.constant dense<18> : tensor<i32>
  %divisor, %zero = kolam.while carry(%a, %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %none = kolam.constant dense<0> : tensor<i32>
    %holds = kolam.elementwise "not_equal" %q, %none : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %holds : tensor<i1>
  } do {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %r = kolam.elementwise "remainder" %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %q, %r : tensor<i32>, tensor<i32>
  }
  // while n > 0: m = n; while m > 0: count, m - 1; n - 1. From n = 3: 3 + 2 + 1
  %three = kolam.constant dense<3> : tensor<i32>
  %nought = kolam.constant dense<0> : tensor<i32>
  %n, %nested = kolam.while carry(%three, %nought) captures(%nought, %one) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i32>, %count: tensor<i32>, %low: tensor<i32>, %step: tensor<i32>):
    %holds = kolam.elementwise "greater" %i, %low : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %holds : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %count: tensor<i32>, %low: tensor<i32>, %step: tensor<i32>):
    %m, %more = kolam.while carry(%i, %count) captures(%low, %step) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    ^bb0(%j: tensor<i32>, %c: tensor<i32>, %l: tensor<i32>, %k: tensor<i32>):
      %holds = kolam.elementwise "greater" %j, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
      kolam.yield %holds : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %c: tensor<i32>, %l: tensor<i32>, %k: tensor<i32>):
      %d = kolam.elementwise "subtract" %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %e = kolam.elementwise "add" %c, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
      kolam.yield %d, %e : tensor<i32>, tensor<i32>
    }
    %next = kolam.elementwise "subtract" %i, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %next, %more : tensor<i32>, tensor<i32>
  }
  return %doubled, %untouched, %divisor, %zero, %nested : tensor<i32>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<i32>
}
