// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.pin parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.pin %{{.*}} 1 ["batch", ""] :
// CHECK: kolam.pin %{{.*}} 0 :
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}pin{{$}}
// SIGN-NOT: [space-

func.func @pin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = kolam.pin %x 1 ["batch", ""] : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = kolam.pin %0 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
