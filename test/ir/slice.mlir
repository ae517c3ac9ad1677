// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.slice parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.slice{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}slice{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @slice(%x: tensor<8x?xf32, #kolam.extents<["8", "n"]>>) -> tensor<3x?xf32, #kolam.extents<["3", "ceildiv(n, 2)"]>> {
  %0 = kolam.slice %x <["1", "0"]> [2, 2] : tensor<8x?xf32, #kolam.extents<["8", "n"]>> -> tensor<3x?xf32, #kolam.extents<["3", "ceildiv(n, 2)"]>>
  return %0 : tensor<3x?xf32, #kolam.extents<["3", "ceildiv(n, 2)"]>>
}
