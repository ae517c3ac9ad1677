// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.cumulative parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.cumulative{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}cumulative{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @cumulative(%x: tensor<?x8xf32, #kolam.extents<["n", "8"]>>) -> tensor<?x8xf32, #kolam.extents<["n", "8"]>> {
  %0 = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = true} : tensor<?x8xf32, #kolam.extents<["n", "8"]>> -> tensor<?x8xf32, #kolam.extents<["n", "8"]>>
  return %0 : tensor<?x8xf32, #kolam.extents<["n", "8"]>>
}
