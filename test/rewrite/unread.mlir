// RUN: kolam-opt %s --kolam-simplify | FileCheck %s
// What a scan stacks and a branch gives that nobody reads goes, and with it what only that reads.

// CHECK-LABEL: func.func @stacked
// CHECK: kolam.scan carry(%{{.*}}) over(%{{.*}}) length
// CHECK-SAME: (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
// CHECK-NOT: "exp"
// CHECK-NOT: "sin"
// CHECK: return
func.func @stacked(%s: tensor<4xf32>, %x: tensor<3x4xf32>, %u: tensor<3x4xf32>) -> tensor<4xf32> {
  %v = kolam.elementwise "sin" %u : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %last, %all = kolam.scan carry(%s) over(%x, %v) length <["3"]> reverse false : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%h: tensor<4xf32>, %row: tensor<4xf32>, %other: tensor<4xf32>):
    %next = kolam.elementwise "multiply" %h, %row : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %unread = kolam.elementwise "exp" %other : (tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %next, %unread : tensor<4xf32>, tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// CHECK-LABEL: func.func @chosen
// CHECK: kolam.cond %{{.*}} captures(%{{.*}}) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: "exp"
// CHECK: return
func.func @chosen(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0, %1 = kolam.cond %p captures(%x, %y) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %e = kolam.elementwise "exp" %b : (tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %a, %e : tensor<4xf32>, tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %n = kolam.elementwise "negative" %a : (tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %n, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
