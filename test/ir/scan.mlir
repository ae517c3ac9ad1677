// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.scan parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.scan{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}scan{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @scan(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>, %s: tensor<4xf32>, %k: tensor<2xf32>) -> (tensor<4xf32>, tensor<?x4xf32, #kolam.extents<["n", "4"]>>) {
  %0:2 = kolam.scan carry(%s) over(%x) captures(%k) length <["n"]> reverse true : (tensor<4xf32>, tensor<?x4xf32, #kolam.extents<["n", "4"]>>, tensor<2xf32>) -> (tensor<4xf32>, tensor<?x4xf32, #kolam.extents<["n", "4"]>>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>):
    kolam.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<?x4xf32, #kolam.extents<["n", "4"]>>
}
