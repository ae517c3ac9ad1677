// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_filter parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_filter{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_filter opaque{{$}}
// SIGN-NOT: [space-

func.func @list_filter(%x: !kolam.list<!kolam.list<tensor<2xf32>>>, %mask: !kolam.list<tensor<i1>>) -> !kolam.list<!kolam.list<tensor<2xf32>>> {
  %0 = kolam.list_filter %x, %mask : (!kolam.list<!kolam.list<tensor<2xf32>>>, !kolam.list<tensor<i1>>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  return %0 : !kolam.list<!kolam.list<tensor<2xf32>>>
}
