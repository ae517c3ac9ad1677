// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: env KOLAM_TARGET=x86-64 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,APART
// How a product is added to a sum (lm: an x86-64 processor).

// A chain starts from +0, with fused steps where the target has them.
// CHECK-LABEL: // nest0
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// FUSED: %[[FIRST:.*]] = math.fma %{{.*}}, %{{.*}}, %[[ZERO]] : f32
// FUSED: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]])
// FUSED: math.fma %{{.*}}, %{{.*}}, %[[SUM]] : f32
// APART-NOT: math.fma
// APART: %[[PRODUCT:.*]] = arith.mulf
// APART-NEXT: %[[FIRST:.*]] = arith.addf %[[ZERO]], %[[PRODUCT]]
// APART: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]])
// APART: %[[PRODUCT:.*]] = arith.mulf
// APART-NEXT: arith.addf %[[SUM]], %[[PRODUCT]]

// bf16 comes in pairs, the odd element first, a zero in place of a missing one.
// CHECK-LABEL: // nest1
// CHECK: %[[EVEN:.*]] = arith.muli %{{.*}}, %c2_i64
// CHECK: %[[ODD:.*]] = arith.addi %[[EVEN]]
// CHECK-NEXT: %[[HAS_ODD:.*]] = arith.cmpi slt, %[[ODD]]
// CHECK-NEXT: scf.if %[[HAS_ODD]]
// CHECK: llvm.getelementptr %{{.*}}[%[[ODD]]]
// CHECK: else
// CHECK: arith.addf
// CHECK: llvm.getelementptr %{{.*}}[%[[EVEN]]]

// Integers wrap in the result's dtype.
// CHECK-LABEL: // nest2
// CHECK: arith.extsi %{{.*}} : i8 to i16
// CHECK: %[[PRODUCT:.*]] = arith.muli %{{.*}}, %{{.*}} : i16
// CHECK-NEXT: arith.addi %[[PRODUCT]], %{{.*}} : i16

func.func @main(%x: tensor<8xf32>, %b: tensor<7xbf16>, %i: tensor<8xi8>) -> (tensor<f32>, tensor<f32>, tensor<i16>) {
  %0 = kolam.contract "i,i->" %x, %x <"chain<8192>"> : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %1 = kolam.contract "i,i->" %b, %b <"chain<8192>"> : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<f32>
  %2 = kolam.contract "i,i->" %i, %i <"chain<8192>"> : (tensor<8xi8>, tensor<8xi8>) -> tensor<i16>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<i16>
}
