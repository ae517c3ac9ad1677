// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// How the factors of tiles are packed, and read without (lm: an x86-64 processor).

// Columns that lie along the summed dim: squares of 8 x 8, turned in registers.
// CHECK-LABEL: // nest0
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK-COUNT-24: llvm.shufflevector
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<8xf32>
// CHECK: math.fma

// Factors that are computed: columns a panel at a time, the rows of a tile by vectors of the summed dim.
// CHECK-LABEL: // nest1
// CHECK: %[[FACTOR:.*]] = arith.negf %{{.*}} : vector<8xf32>
// CHECK: llvm.store %[[FACTOR]]
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK-LABEL: // nest2
// CHECK: %[[FACTOR:.*]] = arith.negf %{{.*}} : vector<8xf32>
// CHECK: llvm.store %[[FACTOR]]
// CHECK: math.fma {{.*}} : vector<8xf32>

// Views of memory cost nothing: the rows of a transposed matrix, the summed dims of a window one after another.
// CHECK-LABEL: // nest3
// CHECK-NOT: shufflevector %{{.*}}, %{{.*}} [0, 8
// CHECK: math.fma
// CHECK-LABEL: // nest4
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c3_i64
// CHECK: :12 = scf.for %{{.*}} = %c0_i64{{.*}} to %c12_i64
// CHECK: math.fma

// Integers of 8 bits: pairs of 16, in tiles that leave a register for the products of a row.
// CHECK-LABEL: // nest5
// CHECK: llvm.store %{{.*}} : vector<8xi16>
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"

func.func @main(%x: tensor<200x64xf32>, %y: tensor<96x64xf32>, %z: tensor<64x96xf32>, %i: tensor<4x9x9x4xf32>, %f: tensor<3x3x4x24xf32>, %a: tensor<200x64xi8>, %b: tensor<64x96xi8>) -> (tensor<200x96xf32>, tensor<200x96xf32>, tensor<200x96xf32>, tensor<96x96xf32>, tensor<4x7x7x24xf32>, tensor<200x96xi32>) {
  %0 = kolam.contract "ij,kj->ik" %x, %y <"chain<8192>"> : (tensor<200x64xf32>, tensor<96x64xf32>) -> tensor<200x96xf32>
  %n = kolam.elementwise "negative" %z : (tensor<64x96xf32>) -> tensor<64x96xf32>
  %t = kolam.transpose %n [1, 0] : tensor<64x96xf32> -> tensor<96x64xf32>
  %1 = kolam.contract "ij,kj->ik" %x, %t <"chain<8192>"> : (tensor<200x64xf32>, tensor<96x64xf32>) -> tensor<200x96xf32>
  %m = kolam.elementwise "negative" %x : (tensor<200x64xf32>) -> tensor<200x64xf32>
  %2 = kolam.contract "ij,kj->ik" %m, %y <"chain<8192>"> : (tensor<200x64xf32>, tensor<96x64xf32>) -> tensor<200x96xf32>
  %u = kolam.transpose %z [1, 0] : tensor<64x96xf32> -> tensor<96x64xf32>
  %3 = kolam.contract "ij,jk->ik" %u, %z <"chain<8192>"> : (tensor<96x64xf32>, tensor<64x96xf32>) -> tensor<96x96xf32>
  %4 = kolam.convolution %i, %f <"chain<8192>"> {dilation = array<i64: 1, 1>, groups = 1 : i64, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<4x9x9x4xf32>, tensor<3x3x4x24xf32>) -> tensor<4x7x7x24xf32>
  %5 = kolam.contract "ij,jk->ik" %a, %b <"chain<8192>"> : (tensor<200x64xi8>, tensor<64x96xi8>) -> tensor<200x96xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<200x96xf32>, tensor<200x96xf32>, tensor<200x96xf32>, tensor<96x96xf32>, tensor<4x7x7x24xf32>, tensor<200x96xi32>
}
