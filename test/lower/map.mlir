// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Walks by vectors and by tiles, and their ends (lm: an x86-64 processor).

// Tiles go by blocks of four, columns within rows within blocks; each row of a tile is stored at its place.
// CHECK-LABEL: // nest0
// CHECK: %[[LEFT:.*]] = arith.remui %{{.*}}, %c8_i64
// CHECK: %[[ROWS:.*]] = arith.subi %arg4, %[[LEFT]]
// CHECK: scf.for %[[BLOCK:.*]] = %c0_i64{{.*}} to %c64_i64{{.*}} step %c32_i64
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %[[ROW:.*]] = %arg3 to %[[ROWS]] step %c8_i64
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %[[END]] step %c8_i64
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<8xf32>

// Columns behind the last tile are gathered row by row, with a mask; so are rows, without.
// CHECK: scf.for %{{.*}} = %arg3 to %[[ROWS]] step %c1_i64
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.store
// CHECK: scf.for %{{.*}} = %[[ROWS]] to %arg4 step %c1_i64
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store %{{.*}} : vector<8xf32>

func.func @main(%x: tensor<67x40xf32>) -> tensor<40x67xf32> {
  %0 = kolam.transpose %x [1, 0] : tensor<67x40xf32> -> tensor<40x67xf32>
  return %0 : tensor<40x67xf32>
}
