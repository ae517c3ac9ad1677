// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.pad parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.pad{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}pad{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @pad(%x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>, %v: tensor<f32>) -> tensor<?x2xf32, #kolam.extents<["n + 3", "2"]>> {
  %0 = kolam.pad %x, %v "constant" low [1, 0] high [2, 0] : tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<f32> -> tensor<?x2xf32, #kolam.extents<["n + 3", "2"]>>
  %1 = kolam.pad %x, %v "reflect" low [1, 0] high [2, 0] : tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<f32> -> tensor<?x2xf32, #kolam.extents<["n + 3", "2"]>>
  return %1 : tensor<?x2xf32, #kolam.extents<["n + 3", "2"]>>
}
