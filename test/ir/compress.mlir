// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.compress parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.compress{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}compress{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @compress(%mask: tensor<?xi1, #kolam.extents<["n"]>>, %x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["m"]>> {
  %0 = kolam.compress %mask, %x : (tensor<?xi1, #kolam.extents<["n"]>>, tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["m"]>>
  return %0 : tensor<?xf32, #kolam.extents<["m"]>>
}
