// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Rows of large operands are fetched into the caches ahead of their use (lm: an x86-64 processor).

// Each row asks for the four lines of the row that is 32 places later; behind the last place stands the last.
// CHECK-LABEL: // nest0
// CHECK: scf.for %[[ROW:.*]] = %arg3 to %arg4
// CHECK: %[[LATER:.*]] = arith.addi %[[ROW]], %c32_i64
// CHECK-NEXT: %[[PLACE:.*]] = arith.minsi %[[LATER]], %c99999_i64
// CHECK: llvm.getelementptr %{{.*}}[%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-COUNT-4: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: scf.for

// Places of one bag are followed by those of the next: dims that join are counted through.
// CHECK-LABEL: // nest1
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for %[[ROW:.*]] = %c1_i64{{.*}} to %c20_i64
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[LATER:.*]] = arith.addi %[[PLACE]], %c32_i64
// CHECK-NEXT: arith.minsi %[[LATER]], %c999_i64
// CHECK-COUNT-4: llvm.intr.prefetch

// Nothing is fetched ahead of an operand that near caches hold, nor where places are a search of their own.
// CHECK-LABEL: // nest2
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return
// CHECK-LABEL: // nest3
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return

func.func @main(%x: tensor<100000x64xf32>, %i: tensor<100000x1xi32>, %j: tensor<50x20x1xi32>, %s: tensor<100x64xf32>, %v: tensor<1000x5xi32>) -> (tensor<100000x1x64xf32>, tensor<50x64xf32>, tensor<100000x1x64xf32>, tensor<1000x1x64xf32>) {
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 0 : (tensor<100000x64xf32>, tensor<100000x1xi32>) -> tensor<100000x1x64xf32>
  %rows = kolam.gather %x, %j "fill" dims [0] lengths [1] batched 0 : (tensor<100000x64xf32>, tensor<50x20x1xi32>) -> tensor<50x20x1x64xf32>
  %bags = kolam.squeeze %rows [2] : tensor<50x20x1x64xf32> -> tensor<50x20x64xf32>
  %1 = kolam.reduce "add" %bags dims [1] commutative true <"chunk<64>"> : (tensor<50x20x64xf32>) -> tensor<50x64xf32>
  %2 = kolam.gather %s, %i "clip" dims [0] lengths [1] batched 0 : (tensor<100x64xf32>, tensor<100000x1xi32>) -> tensor<100000x1x64xf32>
  %most = kolam.reduce "maximum" %v dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000x5xi32>) -> tensor<1000xi32>
  %places = kolam.expand_dims %most [1] : tensor<1000xi32> -> tensor<1000x1xi32>
  %3 = kolam.gather %x, %places "clip" dims [0] lengths [1] batched 0 : (tensor<100000x64xf32>, tensor<1000x1xi32>) -> tensor<1000x1x64xf32>
  return %0, %1, %2, %3 : tensor<100000x1x64xf32>, tensor<50x64xf32>, tensor<100000x1x64xf32>, tensor<1000x1x64xf32>
}
