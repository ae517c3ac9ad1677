// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.gather parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.gather{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}gather{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @gather(%x: tensor<2x?x4xf32, #kolam.extents<["2", "n", "4"]>>, %i: tensor<2x5x1xi32>) -> tensor<2x5x1x4xf32> {
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 1 : (tensor<2x?x4xf32, #kolam.extents<["2", "n", "4"]>>, tensor<2x5x1xi32>) -> tensor<2x5x1x4xf32>
  %1 = kolam.gather %x, %i "fill" dims [0] lengths [1] batched 1 : (tensor<2x?x4xf32, #kolam.extents<["2", "n", "4"]>>, tensor<2x5x1xi32>) -> tensor<2x5x1x4xf32>
  return %1 : tensor<2x5x1x4xf32>
}
