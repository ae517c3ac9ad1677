// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.convolution parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.convolution{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}convolution{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @convolution(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) -> tensor<1x3x6xf32> {
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 2>, groups = 1 : i64, high = array<i64: 2>, low = array<i64: 1>, strides = array<i64: 3>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x3x6xf32>
  return %0 : tensor<1x3x6xf32>
}

func.func @groups(%x: tensor<1x8x4xf32>, %w: tensor<3x2x6xf32>) -> tensor<1x3x6xf32> {
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 2>, groups = 2 : i64, high = array<i64: 2>, low = array<i64: 1>, strides = array<i64: 3>} : (tensor<1x8x4xf32>, tensor<3x2x6xf32>) -> tensor<1x3x6xf32>
  return %0 : tensor<1x3x6xf32>
}
