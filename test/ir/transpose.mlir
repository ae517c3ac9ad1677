// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.transpose parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.transpose{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}transpose{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @transpose(%x: tensor<2x3x?xf32, #kolam.extents<["2", "3", "n"]>>) -> tensor<?x2x3xf32, #kolam.extents<["n", "2", "3"]>> {
  %0 = kolam.transpose %x [2, 0, 1] : tensor<2x3x?xf32, #kolam.extents<["2", "3", "n"]>> -> tensor<?x2x3xf32, #kolam.extents<["n", "2", "3"]>>
  return %0 : tensor<?x2x3xf32, #kolam.extents<["n", "2", "3"]>>
}
