// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.empty parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.empty{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}empty{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @empty(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<3x?xi32, #kolam.extents<["3", "n"]>> {
  %0 = kolam.empty : tensor<3x?xi32, #kolam.extents<["3", "n"]>>
  return %0 : tensor<3x?xi32, #kolam.extents<["3", "n"]>>
}
