// REQUIRES: lm
// RUN: kolam run %s --stop-after lowered | FileCheck %s
// Branches that follow from the number of the step go one way for long, and stay branches (lm: an x86-64 processor).

// The first from a state that counts on and a capture, the second from what is scanned.
// CHECK: llvm.intr.expect
// CHECK-NOT: llvm.intr.expect

func.func @main(%x: tensor<900xf32>, %every: tensor<i32>) -> tensor<900xf32> {
  %zero = kolam.constant dense<0.0> : tensor<f32>
  %first = kolam.constant dense<0> : tensor<i32>
  %r:3 = kolam.scan carry(%zero, %first) over(%x) captures(%every) length <["900"]> reverse false : (tensor<f32>, tensor<i32>, tensor<900xf32>, tensor<i32>) -> (tensor<f32>, tensor<i32>, tensor<900xf32>) {
  ^bb0(%s: tensor<f32>, %n: tensor<i32>, %e: tensor<f32>, %k: tensor<i32>):
    %one = kolam.constant dense<1> : tensor<i32>
    %next = kolam.elementwise "add" %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %counted = kolam.elementwise "less" %n, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %a = kolam.cond %counted captures(%s, %e) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%t: tensor<f32>, %u: tensor<f32>):
      %sum = kolam.elementwise "add" %t, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
      kolam.yield %sum : tensor<f32>
    }, {
    ^bb0(%t: tensor<f32>, %u: tensor<f32>):
      kolam.yield %u : tensor<f32>
    }
    %given = kolam.elementwise "less" %e, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = kolam.cond %given captures(%a) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
    ^bb0(%t: tensor<f32>):
      %sum = kolam.elementwise "add" %t, %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
      kolam.yield %sum : tensor<f32>
    }, {
    ^bb0(%t: tensor<f32>):
      kolam.yield %t : tensor<f32>
    }
    kolam.yield %b, %next, %b : tensor<f32>, tensor<i32>, tensor<f32>
  }
  return %r#2 : tensor<900xf32>
}
