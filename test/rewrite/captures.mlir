// RUN: kolam-opt %s --kolam-simplify | FileCheck %s
// A body captures each value once, and not what costs nothing to make: the rules see that then. What a loop inside starts
// with lies in memory, and stays captured. A check of what is true goes.

// CHECK-LABEL: @twice
// CHECK: kolam.for {{.*}} captures(%arg0) :
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>):
// CHECK-NEXT: kolam.elementwise "multiply" %[[X]], %[[X]]
func.func @twice(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %0 = kolam.constant dense<0> : tensor<i64>
  %1 = kolam.for from %0 to %n carry(%x) captures(%x, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %2 = kolam.elementwise "multiply" %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = kolam.elementwise "add" %s, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %3 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @literal
// CHECK: kolam.for
// CHECK-NOT: captures
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[S:.*]]: tensor<4xi64>):
// CHECK-NEXT: %[[N:.*]] = kolam.elementwise "negative" %[[S]]
// CHECK-NEXT: kolam.yield %[[N]]
func.func @literal(%x: tensor<4xi64>, %n: tensor<i64>) -> tensor<4xi64> {
  %0 = kolam.constant dense<0> : tensor<i64>
  %1 = kolam.broadcast %0 [] : tensor<i64> -> tensor<4xi64>
  %2 = kolam.for from %0 to %n carry(%x) captures(%1) : (tensor<i64>, tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %s: tensor<4xi64>, %zeros: tensor<4xi64>):
    %3 = kolam.elementwise "add" %s, %zeros : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %4 = kolam.elementwise "negative" %3 : (tensor<4xi64>) -> tensor<4xi64>
    kolam.yield %4 : tensor<4xi64>
  }
  return %2 : tensor<4xi64>
}

// CHECK-LABEL: @bound
// CHECK: %[[ZERO:.*]] = kolam.constant dense<0>
// CHECK: kolam.for {{.*}} captures(%[[ZERO]], %arg1)
// CHECK: kolam.for from %{{.*}} to
func.func @bound(%x: tensor<4xi64>, %n: tensor<i64>) -> tensor<4xi64> {
  %0 = kolam.constant dense<0> : tensor<i64>
  %1 = kolam.for from %0 to %n carry(%x) captures(%0, %n) : (tensor<i64>, tensor<i64>, tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %s: tensor<4xi64>, %zero: tensor<i64>, %m: tensor<i64>):
    %2 = kolam.for from %zero to %m carry(%s) : (tensor<i64>, tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
    ^bb0(%j: tensor<i64>, %t: tensor<4xi64>):
      %3 = kolam.elementwise "negative" %t : (tensor<4xi64>) -> tensor<4xi64>
      kolam.yield %3 : tensor<4xi64>
    }
    kolam.yield %2 : tensor<4xi64>
  }
  return %1 : tensor<4xi64>
}

// CHECK-LABEL: @branches
// CHECK: kolam.cond %arg1 captures(%arg0) :
func.func @branches(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = kolam.constant dense<1.0> : tensor<4xf32>
  %1 = kolam.cond %c captures(%x, %0, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %one: tensor<4xf32>, %b: tensor<4xf32>):
    %2 = kolam.elementwise "multiply" %a, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %2 : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>, %one: tensor<4xf32>, %b: tensor<4xf32>):
    %2 = kolam.elementwise "add" %b, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// Integers are equal to themselves; floats need not be.
// CHECK-LABEL: @holds
// CHECK-COUNT-1: kolam.check
// CHECK-NOT: kolam.check
func.func @holds(%x: tensor<4xi64>, %y: tensor<4xf32>) -> tensor<4xi64> {
  %0 = kolam.elementwise "equal" %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  kolam.check %0 "integers" "never" : tensor<4xi1>
  %1 = kolam.elementwise "equal" %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  kolam.check %1 "floats" "NaN" : tensor<4xi1>
  return %x : tensor<4xi64>
}

// CHECK-LABEL: @branch_that_is_known
// CHECK-NEXT: return %arg1
func.func @branch_that_is_known(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.constant dense<true> : tensor<i1>
  %1 = kolam.cond %0 captures(%x, %y) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    kolam.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    kolam.yield %b : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// Beyond the last branch it is the last one.
// CHECK-LABEL: @selector_beyond_the_last
// CHECK-NEXT: return %arg1
func.func @selector_beyond_the_last(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.constant dense<7> : tensor<i64>
  %1 = kolam.cond %0 captures(%x, %y) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    kolam.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    kolam.yield %b : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
