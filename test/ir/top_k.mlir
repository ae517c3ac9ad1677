// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.top_k parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.top_k{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}top_k{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @top_k(%x: tensor<3x?xf32, #kolam.extents<["3", "n"]>>) -> (tensor<3x2xf32>, tensor<3x2xi64>) {
  %0:2 = kolam.top_k %x k 2 {largest = true} : (tensor<3x?xf32, #kolam.extents<["3", "n"]>>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi64>
}
