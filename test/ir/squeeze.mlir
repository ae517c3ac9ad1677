// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.squeeze parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.squeeze{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}squeeze{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @squeeze(%x: tensor<1x?x1xf32, #kolam.extents<["1", "n", "1"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  %0 = kolam.squeeze %x [0, 2] : tensor<1x?x1xf32, #kolam.extents<["1", "n", "1"]>> -> tensor<?xf32, #kolam.extents<["n"]>>
  return %0 : tensor<?xf32, #kolam.extents<["n"]>>
}
