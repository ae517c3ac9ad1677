// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_positions parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_positions{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_positions opaque{{$}}
// SIGN-NOT: [space-

func.func @list_positions(%x: !kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<i64>> {
  %0 = kolam.list_positions %x : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<i64>>
  return %0 : !kolam.list<tensor<i64>>
}
