// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_length parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_length{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_length opaque{{$}}
// SIGN-NOT: [space-

func.func @list_length(%x: !kolam.list<!kolam.list<tensor<2xf32>>>) -> tensor<i64> {
  %0 = kolam.list_length %x : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> tensor<i64>
  return %0 : tensor<i64>
}
