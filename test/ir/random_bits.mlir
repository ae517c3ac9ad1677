// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.random_bits parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.random_bits{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}random_bits{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @random_bits(%k: tensor<2xui32>) -> tensor<4x5xui8> {
  %0 = kolam.random_bits "threefry" %k : tensor<2xui32> -> tensor<4x5xui8>
  return %0 : tensor<4x5xui8>
}
