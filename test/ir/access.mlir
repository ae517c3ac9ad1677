// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.access parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.access{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}access opaque{{$}}
// SIGN-NOT: [space-

func.func @access(%x: !kolam.list<tensor<2xf32>>, %xs: !kolam.list<!kolam.list<tensor<2xf32>>>, %i: tensor<i64>, %pad: tensor<2xf32>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>, !kolam.list<tensor<2xf32>>) {
  %0 = kolam.access %x scalars(%i) pad(%pad) lengths ["3"] index ["a0 + j0 - 1"] : (!kolam.list<tensor<2xf32>>, tensor<i64>, tensor<2xf32>) -> !kolam.list<tensor<2xf32>>
  %1 = kolam.access %x lengths ["2", "ceildiv(L, 2)"] index ["j0 + 2*j1"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  %2 = kolam.access %xs lengths ["N"] index ["j0 - 2*floordiv(j0, 2)", "floordiv(j0, 2)"] : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<2xf32>>
  return %0, %1, %2 : !kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>, !kolam.list<tensor<2xf32>>
}
