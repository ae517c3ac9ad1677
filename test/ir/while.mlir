// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.while parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.while{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}while{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @while_loop(%x: tensor<i1>, %k: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<i1> {
  %0 = kolam.while carry(%x) captures(%k) : (tensor<i1>, tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<i1> {
  ^bb0(%s: tensor<i1>, %c: tensor<?xf32, #kolam.extents<["n"]>>):
    kolam.yield %s : tensor<i1>
  } do {
  ^bb0(%s: tensor<i1>, %c: tensor<?xf32, #kolam.extents<["n"]>>):
    kolam.yield %s : tensor<i1>
  }
  return %0 : tensor<i1>
}
