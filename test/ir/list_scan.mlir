// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_scan parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_scan{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_scan{{$}}
// SIGN-NOT: [space-

func.func @list_scan(%x: !kolam.list<tensor<2xf32>>, %s: !kolam.list<tensor<2xf32>>, %k: tensor<2xf32>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
  %0:2 = kolam.list_scan carry(%s) over(%x) captures(%k) reverse true associative false {after_first, is_reduce} : (!kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>, tensor<2xf32>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
  ^bb0(%a: !kolam.list<tensor<2xf32>>, %b: tensor<2xf32>, %c: tensor<2xf32>):
    kolam.yield %a : !kolam.list<tensor<2xf32>>
  }
  return %0#0, %0#1 : !kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>
}
