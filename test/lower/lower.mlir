// RUN: kolam run %s --stop-after lowered | FileCheck %s --implicit-check-not=func.func
// One module and one function of the nest ABI for each nest: buffers, extents, a range, an error record; a status.

// Over the cells of the result, the range along its first dim. The locations of the program stay out.
// CHECK-LABEL: // nest0
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @kolam_nest(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64, %arg4: i64, %arg5: !llvm.ptr) -> i32 {
// CHECK: %[[OK:.*]] = arith.constant 0 : i32
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK-NEXT: arith.constant 0 : i64
// CHECK-NEXT: arith.constant 1 : i64
// CHECK-NEXT: scf.for
// CHECK-NOT: loc(
// CHECK: return %[[OK]]

// A scalar has one cell.
// CHECK-LABEL: // nest1
// CHECK: func.func @kolam_nest
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK-NOT: scf.for
// CHECK: llvm.store

// All results of one op are stored at the same cell.
// CHECK-LABEL: // nest2
// CHECK: func.func @kolam_nest
// CHECK: llvm.getelementptr %{{.*}}[%[[CELL:.*]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.getelementptr %{{.*}}[%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[CELL]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.store

func.func @main(%x: tensor<4x5xf32>, %s: tensor<f32>, %y: tensor<4xf32>) -> (tensor<4x5xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = kolam.elementwise "negative" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = kolam.elementwise "negative" %s : (tensor<f32>) -> tensor<f32>
  %2:2 = kolam.zip_map_reduce (%y) space <["4"]> dims [] commutative true <"chunk<64>"> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>):
    %n = kolam.elementwise "negative" %a : (tensor<f32>) -> tensor<f32>
    kolam.yield %a, %n : tensor<f32>, tensor<f32>
  }
  return %0, %1, %2#0, %2#1 : tensor<4x5xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
}
