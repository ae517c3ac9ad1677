// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// A scatter copies its destination by vectors, then takes update after update in one serial loop, so that equal places are met in
// order; the elements of a window, which differ from one another, go by vectors (lm: an x86-64 processor).

// Single elements: the range that the nest is given is not used.
// CHECK-LABEL: // nest0
// CHECK: func.func @kolam_nest(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64, %arg4: i64, %arg5: !llvm.ptr) -> i32
// CHECK-NOT: %arg{{[34]}}
// CHECK: %[[APART:.*]] = llvm.icmp "ne" %[[RESULT:.*]], %[[GIVEN:.*]] : !llvm.ptr
// CHECK: scf.if %[[APART]]
// CHECK: llvm.store %{{.*}} : vector<
// CHECK: scf.for %[[BATCH:.*]] = %{{.*}} to
// CHECK: llvm.getelementptr %{{.*}}[%[[BATCH]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK: %[[START:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[START]]
// CHECK-NEXT: %[[HIGH:.*]] = arith.cmpi sle, %[[START]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: scf.if
// CHECK: llvm.getelementptr %[[RESULT]]
// CHECK-NEXT: %[[STATE:.*]] = llvm.load
// CHECK: %[[UPDATE:.*]] = llvm.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[STATE]], %[[UPDATE]] : f32
// CHECK-NEXT: llvm.getelementptr %[[RESULT]]
// CHECK-NEXT: llvm.store %[[NEXT]]
// CHECK-NOT: %arg{{[34]}}
// CHECK: return

// Rows: three vectors of f32 in a row, the part of a fourth by two elements and one; of the rows and their destinations, which are
// large, two lines each are fetched ahead. Long loops look at the cancel flag.
// CHECK-LABEL: // nest1
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: llvm.load volatile
// CHECK: scf.for
// CHECK-COUNT-4: llvm.intr.prefetch
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<8xf32>
// CHECK: llvm.load %{{.*}} -> vector<2xf32>
// CHECK: llvm.insertelement
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: llvm.store %{{.*}} : vector<2xf32>
// CHECK: llvm.store %{{.*}} : f32
// CHECK: return

// As many lanes as a register has of the widest dtype, or a part of them that short runs fill.
// CHECK-LABEL: // nest2
// CHECK: vector<32xi8>
// CHECK-LABEL: // nest3
// CHECK: arith.mulf %{{.*}} : vector<4xf64>
// CHECK-LABEL: // nest4
// CHECK: arith.addi %{{.*}} : vector<4xi32>

// Operands that have batches of their own are shared by those.
// CHECK-LABEL: // nest5
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for %{{.*}} = %arg3 to %arg4

// Rows of what is copied go by vectors, where windows in them are single elements.
// CHECK-LABEL: // nest6
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: llvm.load %{{.*}} -> f32

// Calls share the columns of wide rows.
// CHECK-LABEL: // nest7
// CHECK: scf.for %{{.*}} = %arg3 to {{.*}} step %c8_i64
// CHECK: llvm.store
// CHECK: scf.for %{{.*}} = %arg3 to {{.*}} step %c8_i64
// CHECK: arith.addf %{{.*}} : vector<8xf32>

func.func @main(%x: tensor<4xf32>, %u: tensor<3x1xf32>, %i: tensor<3x1xi32>, %large: tensor<9000x27xf32>, %rows: tensor<5000x1x27xf32>, %j: tensor<5000x1xi32>, %b: tensor<9x64xui8>, %bs: tensor<3x1x64xui8>, %d: tensor<9x16xf64>, %ds: tensor<3x1x16xf64>, %s: tensor<9x6xi32>, %ss: tensor<3x1x6xi32>, %k: tensor<7x9x4xf32>, %ks: tensor<7x3x1x4xf32>, %l: tensor<7x3x1xi32>, %w: tensor<9x300xf32>, %ws: tensor<3x1x300xf32>, %c: tensor<9x1xf32>, %cs: tensor<1xi32>) -> (tensor<4xf32>, tensor<9000x27xf32>, tensor<9x64xui8>, tensor<9x16xf64>, tensor<9x6xi32>, tensor<7x9x4xf32>, tensor<9x300xf32>, tensor<9x300xf32>) {
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<4xf32>, tensor<3x1xf32>, tensor<3x1xi32>) -> tensor<4xf32>
  %1 = kolam.scatter "kAdd" "drop" (%large) updates(%rows) at %j dims [0] batched 0 unique false : (tensor<9000x27xf32>, tensor<5000x1x27xf32>, tensor<5000x1xi32>) -> tensor<9000x27xf32>
  %2 = kolam.scatter "kUpdate" "clip" (%b) updates(%bs) at %i dims [0] batched 0 unique false : (tensor<9x64xui8>, tensor<3x1x64xui8>, tensor<3x1xi32>) -> tensor<9x64xui8>
  %3 = kolam.scatter "kMul" "element" (%d) updates(%ds) at %i dims [0] batched 0 unique false : (tensor<9x16xf64>, tensor<3x1x16xf64>, tensor<3x1xi32>) -> tensor<9x16xf64>
  %4 = kolam.scatter "kAdd" "drop" (%s) updates(%ss) at %i dims [0] batched 0 unique false : (tensor<9x6xi32>, tensor<3x1x6xi32>, tensor<3x1xi32>) -> tensor<9x6xi32>
  %5 = kolam.scatter "kAdd" "drop" (%k) updates(%ks) at %l dims [0] batched 1 unique false : (tensor<7x9x4xf32>, tensor<7x3x1x4xf32>, tensor<7x3x1xi32>) -> tensor<7x9x4xf32>
  %6 = kolam.scatter "kAdd" "drop" (%w) updates(%ws) at %i dims [0] batched 0 unique false : (tensor<9x300xf32>, tensor<3x1x300xf32>, tensor<3x1xi32>) -> tensor<9x300xf32>
  %7 = kolam.scatter "kUpdate" "drop" (%w) updates(%c) at %cs dims [1] batched 0 unique false : (tensor<9x300xf32>, tensor<9x1xf32>, tensor<1xi32>) -> tensor<9x300xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<9000x27xf32>, tensor<9x64xui8>, tensor<9x16xf64>, tensor<9x6xi32>, tensor<7x9x4xf32>, tensor<9x300xf32>, tensor<9x300xf32>
}
