// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Summed dims that join are counted as one; dims that lie otherwise in one of the factors are not.

// CHECK-LABEL: // nest0
// CHECK: arith.constant 1056 : i64
// CHECK-NOT: arith.floordivsi
// CHECK-NOT: arith.divui

// CHECK-LABEL: // nest1
// CHECK: arith.floordivsi

func.func @main(%x: tensor<96x11xf32>, %y: tensor<11x96xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = kolam.contract "ij,ij->" %x, %x <"lanes<64>, chunk<4096>"> : (tensor<96x11xf32>, tensor<96x11xf32>) -> tensor<f32>
  %1 = kolam.contract "ij,ji->" %x, %y <"lanes<64>, chunk<4096>"> : (tensor<96x11xf32>, tensor<11x96xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
