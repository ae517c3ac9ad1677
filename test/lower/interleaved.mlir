// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s
// RUN: env KOLAM_TARGET=skylake-avx512 kolam explain %s | FileCheck %s --check-prefix=WALK
// RUN: env KOLAM_TARGET=haswell kolam explain %s | FileCheck %s --check-prefix=AVX2
// RUN: env KOLAM_TARGET=x86-64 kolam explain %s | FileCheck %s --check-prefix=OLD
// Elements that are long chains are computed side by side, their ops dealt out (lm: an x86-64 processor).

// Vectors of a row: the same op of all four, then the next.
// WALK: nest0 runs by 4 vectors of 16 lanes
// AVX2: nest0 runs by 2 vectors of 8 lanes
// OLD: nest0 runs by 4 lanes
// CHECK-LABEL: // nest0
// CHECK: scf.for %{{.*}} step %c64_i64
// CHECK-COUNT-4: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: math.fma
// CHECK-NEXT: math.fma
// CHECK-NEXT: math.fma
// CHECK-NEXT: math.fma
// CHECK-NOT: llvm.store
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<16xf32>

// Rows of one vector, and what is left of four of them.
// WALK-NEXT: nest1 runs by 4 rows of 16 lanes
// AVX2-NEXT: nest1 runs by 2 vectors of 8 lanes
// CHECK-LABEL: // nest1
// CHECK: %[[LEFT:.*]] = arith.remui %{{.*}}, %c4_i64
// CHECK: %[[REST:.*]] = arith.subi %arg4, %[[LEFT]]
// CHECK: scf.for %{{.*}} = %arg3 to %[[REST]] step %c4_i64
// CHECK-NOT: scf.for
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<16xf32>
// CHECK: scf.for %{{.*}} = %[[REST]] to %arg4 step %c1_i64

// Elements of eight bytes fill two registers each.
// WALK-NEXT: nest2 runs by 2 vectors of 16 lanes
// AVX2-NEXT: nest2 runs by 8 lanes

// Ops that need not wait, chains with branches, and little work are as they were.
// WALK-NEXT: nest3 runs by 16 lanes
// WALK-NEXT: nest4 runs by 16 lanes
// WALK-NEXT: nest5 runs by 16 lanes

// The lanes of a sum, in four vectors: chains are dealt out, single additions are not.
// CHECK-LABEL: // nest6
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: math.fma
// CHECK-LABEL: // nest7
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: llvm.load %{{.*}} -> vector<16xf32>

func.func @main(%x: tensor<8192xf32>, %rows: tensor<511x16xf32>, %row: tensor<511xf32>, %wide: tensor<8192xf64>, %few: tensor<64xf32>, %x_3: tensor<8192xf32>, %x_4: tensor<8192xf32>, %x_6: tensor<8192xf32>, %x_7: tensor<8192xf32>) -> (tensor<8192xf32>, tensor<511x16xf32>, tensor<8192xf64>, tensor<8192xf32>, tensor<8192xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) {
  %0 = kolam.elementwise "exp" %x : (tensor<8192xf32>) -> tensor<8192xf32>
  %r = kolam.broadcast %row [0] : tensor<511xf32> -> tensor<511x16xf32>
  %product = kolam.elementwise "multiply" %rows, %r : (tensor<511x16xf32>, tensor<511x16xf32>) -> tensor<511x16xf32>
  %1 = kolam.elementwise "exp" %product : (tensor<511x16xf32>) -> tensor<511x16xf32>
  %2 = kolam.elementwise "exp" %wide : (tensor<8192xf64>) -> tensor<8192xf64>
  %3 = kolam.elementwise "sqrt" %x_3 : (tensor<8192xf32>) -> tensor<8192xf32>
  %4 = kolam.elementwise "sin" %x_4 : (tensor<8192xf32>) -> tensor<8192xf32>
  %5 = kolam.elementwise "exp" %few : (tensor<64xf32>) -> tensor<64xf32>
  %tanh = kolam.elementwise "tanh" %x_6 : (tensor<8192xf32>) -> tensor<8192xf32>
  %6 = kolam.reduce "add" %tanh dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<8192xf32>) -> tensor<f32>
  %7 = kolam.reduce "add" %x_7 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<8192xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8192xf32>, tensor<511x16xf32>, tensor<8192xf64>, tensor<8192xf32>, tensor<8192xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>
}
