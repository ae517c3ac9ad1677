// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.reshape parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.reshape{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}reshape{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @static(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = kolam.reshape %x : tensor<4x6xf32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

func.func @kept(%x: tensor<?x4x6xf32, #kolam.extents<["n", "4", "6"]>>) -> tensor<?x24xf32, #kolam.extents<["n", "24"]>> {
  %0 = kolam.reshape %x : tensor<?x4x6xf32, #kolam.extents<["n", "4", "6"]>> -> tensor<?x24xf32, #kolam.extents<["n", "24"]>>
  return %0 : tensor<?x24xf32, #kolam.extents<["n", "24"]>>
}

func.func @symbolic(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>) -> tensor<?xf32, #kolam.extents<["4*n"]>> {
  %0 = kolam.reshape %x : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?xf32, #kolam.extents<["4*n"]>>
  return %0 : tensor<?xf32, #kolam.extents<["4*n"]>>
}
