// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.dynamic_slice parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.dynamic_slice{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}dynamic_slice{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @dynamic_slice(%x: tensor<8x4xf32>, %i: tensor<i32>, %j: tensor<ui8>) -> tensor<2x4xf32> {
  %0 = kolam.dynamic_slice %x[%i, %j] : (tensor<8x4xf32>, tensor<i32>, tensor<ui8>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
