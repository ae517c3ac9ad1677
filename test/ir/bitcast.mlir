// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.bitcast parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.bitcast{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}bitcast{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @bitcast(%x: tensor<2xf32>) -> tensor<2xui32> {
  %0 = kolam.bitcast %x : tensor<2xf32> -> tensor<2xui32>
  return %0 : tensor<2xui32>
}
