// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.scatter parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.scatter{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}scatter{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @named(%x: tensor<2x9x4xf32>, %u: tensor<2x5x1x4xf32>, %i: tensor<2x5x1xi32>) -> tensor<2x9x4xf32> {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 1 unique false : (tensor<2x9x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1xi32>) -> tensor<2x9x4xf32>
  return %0 : tensor<2x9x4xf32>
}

func.func @user(%x: tensor<9xf32>, %u: tensor<5x1xf32>, %i: tensor<5x1xi32>, %k: tensor<3xf32>) -> tensor<9xf32> {
  %0 = kolam.scatter "user" "clip" (%x) updates(%u) at %i captures(%k) dims [0] batched 0 unique true : (tensor<9xf32>, tensor<5x1xf32>, tensor<5x1xi32>, tensor<3xf32>) -> tensor<9xf32> {
  ^bb0(%s: tensor<f32>, %v: tensor<f32>, %c: tensor<3xf32>):
    kolam.yield %v : tensor<f32>
  }
  return %0 : tensor<9xf32>
}
