// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.for parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.for{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}for{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @for_loop(%a: tensor<i32>, %x: tensor<?xf32, #kolam.extents<["n"]>>, %k: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  %0 = kolam.for from %a to %a carry(%x) captures(%k) : (tensor<i32>, tensor<i32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  ^bb0(%i: tensor<i32>, %s: tensor<?xf32, #kolam.extents<["n"]>>, %c: tensor<?xf32, #kolam.extents<["n"]>>):
    kolam.yield %c : tensor<?xf32, #kolam.extents<["n"]>>
  }
  return %0 : tensor<?xf32, #kolam.extents<["n"]>>
}
