// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: env KOLAM_TARGET=x86-64 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,APART
// How a product is added to a sum (lm: an x86-64 processor).

// A chain starts from +0, with fused steps where the target has them.
// CHECK-LABEL: // nest0
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c8_i64{{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]])
// FUSED: math.fma %{{.*}}, %{{.*}}, %[[SUM]] : f32
// APART-NOT: math.fma
// APART: %[[PRODUCT:.*]] = arith.mulf
// APART-NEXT: arith.addf %[[SUM]], %[[PRODUCT]]

// bf16 comes in pairs, the odd element first; behind them, a last one comes after a zero.
// CHECK-LABEL: // nest1
// CHECK: scf.for
// CHECK: %[[EVEN:.*]] = arith.muli %{{.*}}, %c2_i64
// CHECK: %[[ODD:.*]] = arith.addi %[[EVEN]]
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[ODD]]]
// CHECK: llvm.getelementptr %{{.*}}[%[[EVEN]]]
// CHECK: scf.yield
// CHECK: arith.addf %{{.*}}, %cst
// CHECK: llvm.getelementptr

// Integers wrap in the result's dtype. Their sums are the same in any order: one loop, however many chunks they have.
// CHECK-LABEL: // nest2
// CHECK: arith.extsi %{{.*}} : i8 to i16
// CHECK: %[[PRODUCT:.*]] = arith.muli %{{.*}}, %{{.*}} : i16
// CHECK-NEXT: arith.addi %[[PRODUCT]], %{{.*}} : i16
// CHECK-NOT: math.ctpop

// Chains of four, of which the last has two: each starts from +0, and takes what waits in the slots of its place, one
// slot for each set bit.
// CHECK-LABEL: // nest3
// CHECK: llvm.alloca %c2_i64{{.*}} x f32
// CHECK: scf.for %[[CHUNK:.*]] = %c0_i64{{.*}} to %c3_i64
// CHECK: arith.muli %[[CHUNK]], %c4_i64
// CHECK: arith.minsi
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[CHAIN:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (f32)
// CHECK: arith.cmpi ne
// CHECK: %[[SLOTS:.*]] = arith.select
// CHECK: %[[TIMES:.*]] = math.ctpop %[[SLOTS]]
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %[[TIMES]] {{.*}} iter_args(%[[LEFT:.*]] = %[[SLOTS]], %[[LATER:.*]] = %[[CHAIN]])
// CHECK: math.cttz %[[LEFT]]
// CHECK: %[[EARLIER:.*]] = llvm.load
// CHECK: arith.addf %[[EARLIER]], %[[LATER]]
// CHECK: scf.if
// CHECK: llvm.store

// Of several dims that do not join a chain takes the runs of the last that lie in it.
// CHECK-LABEL: // nest4
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c2_i64
// CHECK: arith.divsi
// CHECK: scf.for %[[LINE:.*]] = %{{.*}} to %{{.*}} -> (f32)
// CHECK: arith.muli %[[LINE]], %c3_i64
// CHECK: scf.for {{.*}} -> (f32)

func.func @main(%x: tensor<8xf32>, %b: tensor<7xbf16>, %i: tensor<8xi8>, %l: tensor<10xf32>, %m: tensor<2x3xf32>, %t: tensor<3x2xf32>) -> (tensor<f32>, tensor<f32>, tensor<i16>, tensor<f32>, tensor<f32>) {
  %0 = kolam.contract "i,i->" %x, %x <"chain<8192>"> : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %1 = kolam.contract "i,i->" %b, %b <"chain<8192>"> : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<f32>
  %2 = kolam.contract "i,i->" %i, %i <"chain<4>"> : (tensor<8xi8>, tensor<8xi8>) -> tensor<i16>
  %3 = kolam.contract "i,i->" %l, %l <"chain<4>"> : (tensor<10xf32>, tensor<10xf32>) -> tensor<f32>
  %4 = kolam.contract "ij,ji->" %m, %t <"chain<4>"> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<i16>, tensor<f32>, tensor<f32>
}
