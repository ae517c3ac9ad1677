// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.constant parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.constant{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}constant{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @constant() -> tensor<2xi32> {
  %0 = kolam.constant dense<[1, 2]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
