// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.flatten parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.flatten{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}flatten opaque{{$}}
// SIGN-NOT: [space-

func.func @flatten(%x: !kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<2xf32>> {
  %0 = kolam.flatten %x : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<2xf32>>
  return %0 : !kolam.list<tensor<2xf32>>
}
