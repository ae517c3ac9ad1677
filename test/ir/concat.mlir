// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.concat parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.concat{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}concat{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @concat(%x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>, %y: tensor<?x2xf32, #kolam.extents<["m", "2"]>>) -> tensor<?x2xf32, #kolam.extents<["m + n", "2"]>> {
  %0 = kolam.concat %x, %y dim 0 : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<?x2xf32, #kolam.extents<["m", "2"]>>) -> tensor<?x2xf32, #kolam.extents<["m + n", "2"]>>
  return %0 : tensor<?x2xf32, #kolam.extents<["m + n", "2"]>>
}
