// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --implicit-check-not=func.func
// One module and one function of the nest ABI for each nest: buffers, extents, a range, an error record; a status. Elements
// are computed a vector at a time along the innermost dim, eight on this target (lm: an x86-64 processor).

// The range goes along the first dim. A row of 21 beside what all rows share is two whole vectors and five lanes of a
// third, which are moved as four and one; the locations of the program stay out.
// CHECK-LABEL: // nest0
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @kolam_nest(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64, %arg4: i64, %arg5: !llvm.ptr) -> i32 {
// CHECK: %[[OK:.*]] = arith.constant 0 : i32
// CHECK: scf.for %{{.*}} = %arg3 to %arg4 step %c1_i64
// CHECK: scf.for %[[COLUMN:.*]] = %c0_i64 to %c16_i64 step %c8_i64
// CHECK: arith.addi %{{.*}}, %[[COLUMN]]
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: %[[FIVE:.*]] = arith.constant dense<5> : vector<8xi32>
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %[[FIVE]] : vector<8xi32>
// CHECK: arith.addi %{{.*}}, %c16_i64
// CHECK: llvm.load %{{.*}} -> vector<4xf32>
// CHECK: llvm.insertelement
// CHECK: llvm.store %{{.*}} : vector<4xf32>
// CHECK: llvm.store %{{.*}} : f32
// CHECK-NOT: loc(
// CHECK: return %[[OK]]

// A scalar has one element, in front of the range.
// CHECK-LABEL: // nest1
// CHECK: func.func @kolam_nest
// CHECK: %[[CELL:.*]] = arith.negf
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK-NOT: scf.for
// CHECK: llvm.store %[[CELL]]

// Along the only dim the range itself goes by vectors, what is left of it behind them. All results of one op are stored
// at the same element.
// CHECK-LABEL: // nest2
// CHECK: func.func @kolam_nest
// CHECK: %[[COUNT:.*]] = arith.subi %arg4, %arg3
// CHECK-NEXT: %[[LEFT:.*]] = arith.remui %[[COUNT]], %c8_i64
// CHECK-NEXT: %[[WHOLE:.*]] = arith.subi %arg4, %[[LEFT]]
// CHECK: scf.for %[[CELL:.*]] = %arg3 to %[[WHOLE]] step %c8_i64
// CHECK: llvm.getelementptr %{{.*}}[%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.getelementptr %{{.*}}[%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.store
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[LEFT]], %c0_i64
// CHECK: scf.if %[[SOME]]
// CHECK: llvm.getelementptr %{{.*}}[%[[WHOLE]]]
// CHECK-COUNT-2: llvm.intr.masked.store

// A single element behind the vectors is scalar code.
// CHECK-LABEL: // nest3
// CHECK: func.func @kolam_nest
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK-NOT: masked
// CHECK: llvm.load %{{.*}} -> f32
// CHECK: llvm.store %{{.*}} : f32
// CHECK-NOT: masked

func.func @main(%x: tensor<4x21xf32>, %s: tensor<f32>, %y: tensor<16xf32>, %z: tensor<2x3x9xf32>, %w: tensor<21xf32>, %v: tensor<9xf32>) -> (tensor<4x21xf32>, tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<2x3x9xf32>) {
  %row = kolam.broadcast %w [1] : tensor<21xf32> -> tensor<4x21xf32>
  %0 = kolam.elementwise "add" %x, %row : (tensor<4x21xf32>, tensor<4x21xf32>) -> tensor<4x21xf32>
  %1 = kolam.elementwise "negative" %s : (tensor<f32>) -> tensor<f32>
  %2:2 = kolam.zip_map_reduce (%y) space <["16"]> dims [] commutative true <"chunk<64>"> : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%a: tensor<f32>):
    %n = kolam.elementwise "negative" %a : (tensor<f32>) -> tensor<f32>
    kolam.yield %a, %n : tensor<f32>, tensor<f32>
  }
  %rows = kolam.broadcast %v [2] : tensor<9xf32> -> tensor<2x3x9xf32>
  %3 = kolam.elementwise "add" %z, %rows : (tensor<2x3x9xf32>, tensor<2x3x9xf32>) -> tensor<2x3x9xf32>
  return %0, %1, %2#0, %2#1, %3 : tensor<4x21xf32>, tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<2x3x9xf32>
}
