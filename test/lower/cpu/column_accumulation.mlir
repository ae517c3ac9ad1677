// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Columns that are reduced row by row (lm: an x86-64 processor).

// Blocks of columns; in each the chunks, left out once the call is to stop; in each chunk two rows at once for all
// columns, whose states lie in scratch memory, then a last one.
// CHECK-LABEL: // nest0
// CHECK: %[[CANCEL:.*]] = llvm.select
// CHECK: scf.for %[[BLOCK:.*]] = %arg3 to %arg4 step %c2048_i64
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c2048_i64
// CHECK: scf.for %[[CHUNK:.*]] = %c0_i64{{.*}} to %c3_i64
// CHECK: llvm.load volatile %[[CANCEL]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[ONE:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK: %[[TWO:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ONE]], %[[TWO]]
// CHECK: llvm.store %[[SUM]]
// CHECK: scf.for %{{.*}} step %c2_i64
// CHECK: scf.for %{{.*}} step %c8_i64
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<8xf32>
// CHECK: %[[ROW:.*]] = llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NEXT: %[[SUM2:.*]] = arith.addf %[[SUM]], %[[ROW]]
// CHECK: llvm.store %[[SUM2]]

// Then the slots merge as chunks of a single column do, and the stopped call says so.
// CHECK: math.cttz
// CHECK: llvm.load volatile %[[CANCEL]]
// CHECK: %[[STATUS:.*]] = arith.select %{{.*}}, %c2_i32
// CHECK: return %[[STATUS]]

// Rows that registers hold need none of this.
// CHECK-LABEL: // nest1
// CHECK-NOT: volatile
// CHECK: return

func.func @main(%x: tensor<160x500xf32>, %y: tensor<160x40xf32>) -> (tensor<500xf32>, tensor<40xf32>) {
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<160x500xf32>) -> tensor<500xf32>
  %1 = kolam.reduce "add" %y dims [0] commutative true <"chunk<64>"> : (tensor<160x40xf32>) -> tensor<40xf32>
  return %0, %1 : tensor<500xf32>, tensor<40xf32>
}
