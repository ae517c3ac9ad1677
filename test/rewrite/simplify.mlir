// RUN: kolam-opt %s --kolam-simplify | FileCheck %s
// RUN: kolam-opt %s --kolam-simplify --kolam-simplify | FileCheck %s
// simplify: repeated ops are one, dead ops vanish, rules apply; nothing that can be told from outside is lost.

// CHECK-LABEL: @repeated
// CHECK-NEXT: %[[E:.*]] = kolam.elementwise "exp" %{{.*}}
// CHECK-NEXT: return %[[E]], %[[E]]
func.func @repeated(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = kolam.elementwise "exp" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "exp" %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Ops that differ in an attribute stay two: here in the order of the sums, which is part of the meaning.
// CHECK-LABEL: @alike
// CHECK-COUNT-2: kolam.reduce "add"
func.func @alike(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<2>"> : (tensor<4xf32>) -> tensor<f32>
  %1 = kolam.reduce "add" %x dims [0] commutative true <"chunk<4>"> : (tensor<4xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// Literals of equal value but for the sign of zero stay two.
// CHECK-LABEL: @zeros
// CHECK-DAG: %[[P:.*]] = kolam.constant dense<0.000000e+00>
// CHECK-DAG: %[[N:.*]] = kolam.constant dense<-0.000000e+00>
// CHECK: return %[[P]], %[[N]]
func.func @zeros() -> (tensor<f32>, tensor<f32>) {
  %0 = kolam.constant dense<0.0> : tensor<f32>
  %1 = kolam.constant dense<-0.0> : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// A check stays, with what it needs; a loop around it stays for its sake, and a loop without one is dead.
// CHECK-LABEL: @dead
// CHECK-NEXT: kolam.for
// CHECK-NEXT: ^bb0
// CHECK-NEXT: kolam.elementwise "isnan"
// CHECK-NEXT: kolam.check
// CHECK-NEXT: kolam.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @dead(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0 = kolam.elementwise "exp" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "sin" %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = kolam.for from %n to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %3 = kolam.elementwise "isnan" %s : (tensor<4xf32>) -> tensor<4xi1>
    kolam.check %3 "bad-value" "expected NaN" : tensor<4xi1>
    kolam.yield %s : tensor<4xf32>
  }
  %4 = kolam.for from %n to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %5 = kolam.elementwise "exp" %s : (tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %5 : tensor<4xf32>
  }
  return %x : tensor<4xf32>
}

// Repeated ops that a rule makes dead vanish as well: both negations of x are one, then none.
// CHECK-LABEL: @both
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = kolam.elementwise "negative" %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = kolam.elementwise "negative" %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = kolam.elementwise "negative" %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = kolam.elementwise "negative" %2 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
