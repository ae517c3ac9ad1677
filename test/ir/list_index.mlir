// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_index parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_index{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_index opaque{{$}}
// SIGN-NOT: [space-

func.func @list_index(%x: !kolam.list<!kolam.list<tensor<2xf32>>>, %i: tensor<i64>) -> (!kolam.list<tensor<2xf32>>, tensor<2xf32>) {
  %0 = kolam.list_index %x[%i] : (!kolam.list<!kolam.list<tensor<2xf32>>>, tensor<i64>) -> !kolam.list<tensor<2xf32>>
  %1 = kolam.list_index %0[%i] : (!kolam.list<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  return %0, %1 : !kolam.list<tensor<2xf32>>, tensor<2xf32>
}
