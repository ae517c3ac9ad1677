// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.join parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.join{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}join opaque{{$}}
// SIGN-NOT: [space-

func.func @join(%x: !kolam.list<tensor<2xf32>>, %y: !kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>> {
  %0 = kolam.join %x, %y, %x : (!kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return %0 : !kolam.list<tensor<2xf32>>
}
