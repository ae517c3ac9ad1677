// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,NARROW -D#N=8 -D#TILE=8 -D#ROWS=4 -D#WIDTH=16 -DWHOLE=64 -DEND=72
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,WIDE -D#N=16 -D#TILE=24 -D#ROWS=8 -D#WIDTH=48 -DWHOLE=48 -DEND=64
// Contractions by tiles: four rows of two vectors of eight columns, or eight of three of sixteen where registers are
// wider and more (lm: an x86-64 processor).

// Tiles of columns, for each all tiles of rows; the sums of a tile run in one loop over the summed dim. Each row's
// factor is loaded once and so is each vector of columns. Other ops of the nest are computed on the sums.
// CHECK-LABEL: // nest0
// CHECK: scf.for %[[COLUMN:.*]] = %c0_i64{{.*}} to %c[[WHOLE]]_i64{{.*}} step %c[[#WIDTH]]_i64
// CHECK: %[[LAST:.*]] = arith.subi %arg4, %{{.*}} : i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[COLUMN]], %c[[#N]]_i64
// CHECK: scf.for %[[ROW:.*]] = %arg3 to %[[LAST]] step %c[[#ROWS]]_i64
// CHECK: %[[SUMS:.*]]:[[#TILE]] = scf.for %[[K:.*]] = %c1_i64{{.*}} to %c64_i64
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[K]]
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK-NEXT: %[[R0:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[R1:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// NARROW-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> f32
// WIDE-COUNT-6: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT: -> f32
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[COLUMN]]
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK-NEXT: %[[C0:.*]] = llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[NEXT]]
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK-NEXT: %[[C1:.*]] = llvm.load %{{.*}} -> vector<[[#N]]xf32>
// WIDE: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.insertelement %[[R0]]
// CHECK-NEXT: %[[ALL:.*]] = llvm.shufflevector
// CHECK-NEXT: math.fma %[[ALL]], %[[C0]], %{{.*}} : vector<[[#N]]xf32>
// CHECK: llvm.insertelement %[[R0]]
// CHECK-NEXT: %[[ALL:.*]] = llvm.shufflevector
// CHECK-NEXT: math.fma %[[ALL]], %[[C1]]
// WIDE: math.fma
// CHECK: llvm.insertelement %[[R1]]
// CHECK-NEXT: %[[ALL:.*]] = llvm.shufflevector
// CHECK-NEXT: math.fma %[[ALL]], %[[C0]]
// CHECK-NOT: llvm.load
// CHECK: scf.yield
// CHECK: %[[RESULT:.*]] = arith.negf %[[SUMS]]#0 : vector<[[#N]]xf32>
// CHECK: llvm.store %[[RESULT]]
// CHECK: arith.negf %[[SUMS]]#1
// CHECK: arith.addi %{{.*}}, %[[NEXT]]
// CHECK: arith.negf %[[SUMS]]#[[#TILE-1]]

// The rows that fill no tile come one by one, then a last vector of columns, then what is no whole vector.
// CHECK: scf.for %{{.*}} = %[[LAST]] to %arg4 step %c1_i64
// CHECK: scf.for %{{.*}} = %c[[WHOLE]]_i64{{.*}} to %c[[END]]_i64{{.*}} step %c[[#N]]_i64
// CHECK: scf.for %{{.*}} = %arg3 to %{{.*}} step %c[[#ROWS]]_i64
// CHECK: :[[#ROWS]] = scf.for
// CHECK: llvm.intr.masked.load
// CHECK: :[[#ROWS]] = scf.for
// CHECK: llvm.intr.masked.store

// The factors may come in either order, and dims may lie around the last two.
// CHECK-LABEL: // nest1
// CHECK: :[[#TILE]] = scf.for
// CHECK-LABEL: // nest2
// CHECK: scf.for %{{.*}} = %arg3 to %arg4 step %c1_i64
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c8_i64{{.*}} step %c[[#ROWS]]_i64
// CHECK: :[[#TILE]] = scf.for

func.func @main(%x: tensor<9x64xf32>, %y: tensor<64x76xf32>, %b: tensor<5x8x64xf32>, %d: tensor<5x64x96xf32>) -> (tensor<9x76xf32>, tensor<9x76xf32>, tensor<5x8x96xf32>) {
  %p = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<9x64xf32>, tensor<64x76xf32>) -> tensor<9x76xf32>
  %0 = kolam.elementwise "negative" %p : (tensor<9x76xf32>) -> tensor<9x76xf32>
  %1 = kolam.contract "jk,ij->ik" %y, %x <"chain<8192>"> : (tensor<64x76xf32>, tensor<9x64xf32>) -> tensor<9x76xf32>
  %2 = kolam.contract "bij,bjk->bik" %b, %d <"chain<8192>"> : (tensor<5x8x64xf32>, tensor<5x64x96xf32>) -> tensor<5x8x96xf32>
  return %0, %1, %2 : tensor<9x76xf32>, tensor<9x76xf32>, tensor<5x8x96xf32>
}
