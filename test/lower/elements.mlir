// RUN: kolam run %s --stop-after lowered | FileCheck %s
// Elements are asked for at an index, through any chain of producers: what only moves elements leaves no code but an index.

// x transposed, turned around in dim 1 and shifted by one: result[i, j] = x[3 - (j + 1), i].
// CHECK-LABEL: // nest0
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK: %[[SHIFTED:.*]] = arith.addi %[[J]], %{{.*}}
// CHECK: %[[TURNED:.*]] = arith.subi %{{.*}}, %[[SHIFTED]]
// CHECK: %[[ROW:.*]] = arith.muli %[[TURNED]], %{{.*}} : i64
// CHECK-NEXT: %[[CELL:.*]] = arith.addi %[[ROW]], %[[I]]
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[CELL]]]
// CHECK-NEXT: %[[VALUE:.*]] = llvm.load
// CHECK-NOT: llvm.load
// CHECK: llvm.store %[[VALUE]]

// All results of a producer come from one emission.
// CHECK-LABEL: // nest1
// CHECK: math.sqrt
// CHECK-NOT: math.sqrt
// CHECK: llvm.store

func.func @main(%x: tensor<4x4xf32>, %y: tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
  %0 = kolam.transpose %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = kolam.reverse %0 [1] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = kolam.slice %1 <["0", "1"]> [1, 1] : tensor<4x4xf32> -> tensor<4x3xf32>
  %3:2 = kolam.zip_map_reduce (%y) space <["4"]> dims [] commutative true <"chunk<64>"> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>):
    %r = kolam.elementwise "sqrt" %a : (tensor<f32>) -> tensor<f32>
    kolam.yield %a, %r : tensor<f32>, tensor<f32>
  }
  %4 = kolam.elementwise "multiply" %3#0, %3#1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %4 : tensor<4x3xf32>, tensor<4xf32>
}
