// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.reverse parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.reverse{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}reverse{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @reverse(%x: tensor<8x?xf32, #kolam.extents<["8", "n"]>>) -> tensor<8x?xf32, #kolam.extents<["8", "n"]>> {
  %0 = kolam.reverse %x [1] : tensor<8x?xf32, #kolam.extents<["8", "n"]>> -> tensor<8x?xf32, #kolam.extents<["8", "n"]>>
  return %0 : tensor<8x?xf32, #kolam.extents<["8", "n"]>>
}
