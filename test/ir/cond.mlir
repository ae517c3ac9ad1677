// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.cond parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.cond{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}cond{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @cond(%p: tensor<i1>, %x: tensor<?xf32, #kolam.extents<["n"]>>, %y: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  %0 = kolam.cond %p captures(%x, %y) : (tensor<i1>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  ^bb0(%a: tensor<?xf32, #kolam.extents<["n"]>>, %b: tensor<?xf32, #kolam.extents<["n"]>>):
    kolam.yield %a : tensor<?xf32, #kolam.extents<["n"]>>
  }, {
  ^bb0(%a: tensor<?xf32, #kolam.extents<["n"]>>, %b: tensor<?xf32, #kolam.extents<["n"]>>):
    kolam.yield %b : tensor<?xf32, #kolam.extents<["n"]>>
  }
  return %0 : tensor<?xf32, #kolam.extents<["n"]>>
}
