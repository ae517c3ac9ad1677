// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Vectors of elements that are counted through rows: most lie in one (lm: an x86-64 processor).

// The sum goes through all elements in order, whose rows have 60. Of a vector in one row both operands are runs.
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.floordivsi %[[NUMBER:.*]], %c60_i64
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %c60_i64
// CHECK: %[[PLACE:.*]] = arith.subi %[[NUMBER]], %[[START]]
// CHECK: %[[END:.*]] = arith.addi %[[PLACE]], %c8_i64
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[END]], %c60_i64
// CHECK: scf.if %[[FITS]] -> (vector<8xf32>) {
// CHECK-NOT: masked
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: arith.addf

// Of one that lies in two rows each has its lanes.
// CHECK: } else {
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %{{.*}} : vector<8xi32>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.xori %[[FIRST]]
// CHECK: llvm.intr.masked.load %{{.*}}, %[[SECOND]]
// CHECK: arith.select %[[FIRST]]
// CHECK-NOT: gather

func.func @main(%z: tensor<16x60xf32>, %w: tensor<60xf32>) -> tensor<f32> {
  %row = kolam.broadcast %w [1] : tensor<60xf32> -> tensor<16x60xf32>
  %all = kolam.elementwise "add" %z, %row : (tensor<16x60xf32>, tensor<16x60xf32>) -> tensor<16x60xf32>
  %0 = kolam.reduce "add" %all dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<16x60xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
