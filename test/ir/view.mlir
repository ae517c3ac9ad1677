// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.view parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.view{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}view{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @windows(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>) -> tensor<?x3xf32, #kolam.extents<["n - 2", "3"]>> {
  %0 = kolam.view %x <["0", "3"]> [1, 1, 0, -1] : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?x3xf32, #kolam.extents<["n - 2", "3"]>>
  return %0 : tensor<?x3xf32, #kolam.extents<["n - 2", "3"]>>
}
