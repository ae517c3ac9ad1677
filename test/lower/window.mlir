// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Where a window starts: column c of the indices along dims[c], clipped so that every load is inside, and compared
// unclipped where the mode asks whether it was (lm: an x86-64 processor).

// Of unsigned 64 bits, what int64 does not hold lies behind the end. The load is at the clipped place; the fill value
// is chosen by the place that was asked for. All lanes share the window, so all this is scalar.
// CHECK-LABEL: // nest0
// CHECK: %[[GIVEN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %[[GIVEN]]
// CHECK: %[[START:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[GIVEN]]
// CHECK: %[[LIFTED:.*]] = arith.maxsi %[[START]]
// CHECK-NEXT: %[[CLIPPED:.*]] = arith.minsi %[[LIFTED]], %[[LAST:.*]] : i64
// CHECK: arith.addi %[[CLIPPED]]
// CHECK: %[[CELLS:.*]] = llvm.load {{.*}} -> vector<4xf32>
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[START]]
// CHECK-NEXT: %[[HIGH:.*]] = arith.cmpi sle, %[[START]], %[[LAST]]
// CHECK-NEXT: arith.andi %[[LOW]], %[[HIGH]] : i1
// CHECK: %[[FILL:.*]] = arith.constant dense<0x7FC00000> : vector<4xf32>
// CHECK-NEXT: arith.select %{{.*}}, %[[CELLS]], %[[FILL]] : vector<4xf32>

// The first column goes along dim 1, whose last start is 3; the second along dim 0, whose last is 8.
// CHECK-LABEL: // nest1
// CHECK-DAG: %[[LAST0:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[LAST1:.*]] = arith.constant 3 : i64
// CHECK: %[[COLUMN0:.*]] = arith.extsi %{{.*}} : i8 to i64
// CHECK: %[[COLUMN1:.*]] = arith.extsi %{{.*}} : i8 to i64
// CHECK: %[[LIFTED:.*]] = arith.maxsi %[[COLUMN0]]
// CHECK-NEXT: arith.minsi %[[LIFTED]], %[[LAST1]]
// CHECK: %[[LIFTED:.*]] = arith.maxsi %[[COLUMN1]]
// CHECK-NEXT: arith.minsi %[[LIFTED]], %[[LAST0]]

// Where each lane has a window of its own, so have its start, its clipping and the question whether it was inside.
// CHECK-LABEL: // nest2
// CHECK: %[[GIVEN:.*]] = llvm.load %{{.*}} -> vector<8xi32>
// CHECK: %[[START:.*]] = arith.extsi %[[GIVEN]] : vector<8xi32> to vector<8xi64>
// CHECK: arith.maxsi %[[START]]
// CHECK: arith.minsi
// CHECK: %[[CELLS:.*]] = llvm.intr.masked.gather
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[START]]
// CHECK: %[[HIGH:.*]] = arith.cmpi sle, %[[START]]
// CHECK: arith.andi %[[LOW]], %[[HIGH]] : vector<8xi1>
// CHECK: arith.select %{{.*}}, %[[CELLS]], %{{.*}} : vector<8xi1>, vector<8xf32>

func.func @main(%x: tensor<9x4xf32>, %i: tensor<5x1xui64>, %j: tensor<5x2xi8>, %y: tensor<9xf32>, %k: tensor<16x1xi32>) -> (tensor<5x2x4xf32>, tensor<5x1x1xf32>, tensor<16xf32>) {
  %0 = kolam.gather %x, %i "fill" dims [0] lengths [2] batched 0 : (tensor<9x4xf32>, tensor<5x1xui64>) -> tensor<5x2x4xf32>
  %1 = kolam.gather %x, %j "clip" dims [1, 0] lengths [1, 1] batched 0 : (tensor<9x4xf32>, tensor<5x2xi8>) -> tensor<5x1x1xf32>
  %one = kolam.gather %y, %k "fill" dims [0] lengths [1] batched 0 : (tensor<9xf32>, tensor<16x1xi32>) -> tensor<16x1xf32>
  %2 = kolam.squeeze %one [1] : tensor<16x1xf32> -> tensor<16xf32>
  return %0, %1, %2 : tensor<5x2x4xf32>, tensor<5x1x1xf32>, tensor<16xf32>
}
