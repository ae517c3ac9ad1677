// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.composite gives what its body gives; its rules are for derivatives.

// CHECK: twice =
// CHECK-NEXT: [2. 4.]

func.func @main() -> (tensor<2xf32> {kolam.name = "twice"}) {
  %x = kolam.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %twice = kolam.composite "twice"(%x) {by = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %r = kolam.elementwise "add" %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    kolam.yield %r : tensor<2xf32>
  } rules {
  ^bb0(%v: tensor<2xf32>, %a: tensor<2xf32>):
    kolam.yield %v : tensor<2xf32>
  }
  return %twice : tensor<2xf32>
}
