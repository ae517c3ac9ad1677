// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.expand_dims parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.expand_dims{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}expand_dims{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @expand_dims(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<1x?x1xf32, #kolam.extents<["1", "n", "1"]>> {
  %0 = kolam.expand_dims %x [0, 2] : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<1x?x1xf32, #kolam.extents<["1", "n", "1"]>>
  return %0 : tensor<1x?x1xf32, #kolam.extents<["1", "n", "1"]>>
}
