// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.elementwise parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.elementwise{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}elementwise{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @elementwise(%c: tensor<?x2xi1, #kolam.extents<["n", "2"]>>, %x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>) -> tensor<?x2xf32, #kolam.extents<["n", "2"]>> {
  %0 = kolam.elementwise "exp" %x : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>) -> tensor<?x2xf32, #kolam.extents<["n", "2"]>>
  %1 = kolam.elementwise "where" %c, %x, %0 : (tensor<?x2xi1, #kolam.extents<["n", "2"]>>, tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<?x2xf32, #kolam.extents<["n", "2"]>>) -> tensor<?x2xf32, #kolam.extents<["n", "2"]>>
  return %1 : tensor<?x2xf32, #kolam.extents<["n", "2"]>>
}
