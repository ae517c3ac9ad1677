// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.extent parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.extent{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}extent{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @extent(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<i64> {
  %0 = kolam.extent "2*n + 1" : tensor<i64>
  return %0 : tensor<i64>
}
