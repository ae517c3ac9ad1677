// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.random_block parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.random_block{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}random_block{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @random_block(%k: tensor<3x2xui32>, %c: tensor<3x2xui32>) -> tensor<3x2xui32> {
  %0 = kolam.random_block %k, %c : tensor<3x2xui32>, tensor<3x2xui32> -> tensor<3x2xui32>
  return %0 : tensor<3x2xui32>
}
