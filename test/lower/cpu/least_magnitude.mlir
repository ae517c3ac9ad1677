// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Without vdpbf16ps the least magnitudes of bf16 factors say whether sums must be flushed (lm: an x86-64 processor).

// Packed columns and rows: the least of each behind it, the second factor of each pair in front of the first.
// CHECK-LABEL: // nest0
// CHECK: arith.xori %{{.*}} : i64
// CHECK: arith.minui %{{.*}} : vector<8xi32>
// CHECK: arith.minui %{{.*}} : vector<8xi32>
// CHECK: llvm.shufflevector %{{.*}} [1, 0, 3, 2, 5, 4, 7, 6]
// CHECK: llvm.intr.vector.reduce.umin
// CHECK: %[[TINY:.*]] = arith.cmpf olt
// CHECK: scf.if
// CHECK: math.fma
// CHECK-NOT: arith.cmpf
// CHECK: } else {
// CHECK: math.fma
// CHECK: arith.cmpf olt

// Columns of few rows that are read where they lie: what is least is found with the sums.
// CHECK-LABEL: // nest1
// CHECK: llvm.load %{{.*}} -> vector<8xi16>
// CHECK: arith.minui %{{.*}} : vector<8xi32>
// CHECK: math.fma
// CHECK: llvm.intr.vector.reduce.umin
// CHECK: scf.if
// CHECK: } else {
// CHECK: arith.cmpf olt

func.func @main(%x: tensor<200x64xbf16>, %y: tensor<64x96xbf16>, %z: tensor<2x64xbf16>) -> (tensor<200x96xbf16>, tensor<2x96xbf16>) {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<200x64xbf16>, tensor<64x96xbf16>) -> tensor<200x96xbf16>
  %1 = kolam.contract "ij,jk->ik" %z, %y <"chain<8192>"> : (tensor<2x64xbf16>, tensor<64x96xbf16>) -> tensor<2x96xbf16>
  return %0, %1 : tensor<200x96xbf16>, tensor<2x96xbf16>
}
