// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.cast parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.cast{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}cast{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @cast(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xi8, #kolam.extents<["n"]>> {
  %0 = kolam.cast %x : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<?xi8, #kolam.extents<["n"]>>
  return %0 : tensor<?xi8, #kolam.extents<["n"]>>
}
