// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Neighbouring dims are walked as one where every op hands both on side by side (lm: an x86-64 processor).

// Rows of three: one loop over the elements of the range, by vectors.
// CHECK-LABEL: // nest0
// CHECK: %[[FIRST:.*]] = arith.muli %arg3, %c3_i64
// CHECK: %[[LAST:.*]] = arith.muli %arg4, %c3_i64
// CHECK: scf.for %[[CELL:.*]] = %[[FIRST]] to %{{.*}} step %c8_i64
// CHECK: llvm.getelementptr %{{.*}}[%[[CELL]]]
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK-NOT: scf.for
// CHECK: return

// What differs from row to row keeps them apart.
// CHECK-LABEL: // nest1
// CHECK: scf.for %{{.*}} = %arg3 to %{{.*}} step %c8_i64
// CHECK: llvm.shufflevector

// Rows that share elements stay rows; the range goes along the first dim.
// CHECK-LABEL: // nest2
// CHECK: scf.for %{{.*}} = %arg3 to %arg4 step %c1_i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %c5_i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64

// An element that depends on its place keeps dims apart too.
// CHECK-LABEL: // nest3
// CHECK: scf.for %{{.*}} = %arg3 to %{{.*}} step %c8_i64
// CHECK: llvm.shufflevector

// A reshape of what is walked as one is walked as one.
// CHECK-LABEL: // nest4
// CHECK: scf.for %[[CELL:.*]] = %{{.*}} to %{{.*}} step %c8_i64
// CHECK-NOT: arith.rem
// CHECK-NOT: arith.div
// CHECK: llvm.getelementptr %{{.*}}[%[[CELL]]]
// CHECK: return

// So are reduced dims: 6 x 50 elements are 300 in a row.
// CHECK-LABEL: // nest5
// CHECK-NOT: arith.rem
// CHECK-NOT: gather
// CHECK: return

func.func @main(%x: tensor<40x3xf32>, %c: tensor<40xf32>, %y: tensor<7x5x16xf32>, %r: tensor<16xf32>, %z: tensor<6x50xf32>, %x_1: tensor<40x3xf32>, %x_3: tensor<40x3xf32>, %x_4: tensor<40x3xf32>) -> (tensor<40x3xf32>, tensor<40x3xf32>, tensor<7x5x16xf32>, tensor<40x3xf32>, tensor<60x2xf32>, tensor<f32>) {
  %0 = kolam.elementwise "sqrt" %x : (tensor<40x3xf32>) -> tensor<40x3xf32>
  %cs = kolam.broadcast %c [0] : tensor<40xf32> -> tensor<40x3xf32>
  %1 = kolam.elementwise "add" %x_1, %cs : (tensor<40x3xf32>, tensor<40x3xf32>) -> tensor<40x3xf32>
  %rs = kolam.broadcast %r [2] : tensor<16xf32> -> tensor<7x5x16xf32>
  %2 = kolam.elementwise "add" %y, %rs : (tensor<7x5x16xf32>, tensor<7x5x16xf32>) -> tensor<7x5x16xf32>
  %places = kolam.iota 1 : tensor<40x3xf32>
  %3 = kolam.elementwise "add" %x_3, %places : (tensor<40x3xf32>, tensor<40x3xf32>) -> tensor<40x3xf32>
  %abs = kolam.elementwise "abs" %x_4 : (tensor<40x3xf32>) -> tensor<40x3xf32>
  %flat = kolam.reshape %abs : tensor<40x3xf32> -> tensor<60x2xf32>
  %4 = kolam.elementwise "sqrt" %flat : (tensor<60x2xf32>) -> tensor<60x2xf32>
  %root = kolam.elementwise "sqrt" %z : (tensor<6x50xf32>) -> tensor<6x50xf32>
  %5 = kolam.reduce "add" %root dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<6x50xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<40x3xf32>, tensor<40x3xf32>, tensor<7x5x16xf32>, tensor<40x3xf32>, tensor<60x2xf32>, tensor<f32>
}
