// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_map parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_map{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_map{{$}}
// SIGN-NOT: [space-

func.func @list_map(%x: !kolam.list<!kolam.list<tensor<2xf32>>>, %y: !kolam.list<tensor<2xf32>>, %k: tensor<2xf32>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
  %0:2 = kolam.list_map over(%x, %y) captures(%k) : (!kolam.list<!kolam.list<tensor<2xf32>>>, !kolam.list<tensor<2xf32>>, tensor<2xf32>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
  ^bb0(%a: !kolam.list<tensor<2xf32>>, %b: tensor<2xf32>, %c: tensor<2xf32>):
    kolam.yield %c, %a : tensor<2xf32>, !kolam.list<tensor<2xf32>>
  }
  return %0#0, %0#1 : !kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>
}
