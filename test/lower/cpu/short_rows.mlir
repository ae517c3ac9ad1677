// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefix=EIGHT
// Rows are loaded whole and parted by shuffles, never gathered (lm: an x86-64 processor).

// Rows of six by their factors, six vectors that follow one another; stores of the same.
// CHECK-LABEL: // nest0
// CHECK: scf.for
// CHECK-COUNT-6: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.shufflevector
// CHECK-NOT: gather
// CHECK-COUNT-6: llvm.store %{{.*}} : vector<16xf32>

// Rows of fifteen by squares: sixteen vectors, each from the start of a row, the last of which ends with the rows.
// CHECK-LABEL: // nest1
// CHECK: scf.for
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: gather
// CHECK-COUNT-15: llvm.store %{{.*}} : vector<16xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<4xf32>
// CHECK: llvm.store %{{.*}} : vector<2xf32>
// CHECK: llvm.store %{{.*}} : vector<1xf32>

// Of eight lanes two squares.
// EIGHT-LABEL: // nest1
// EIGHT: scf.for
// EIGHT-COUNT-16: llvm.load %{{.*}} -> vector<8xf32>
// EIGHT-NOT: gather

func.func @main(%x: tensor<64x6xf32>, %y: tensor<64x15xf32>) -> (tensor<64x6xf32>, tensor<64x15xf32>) {
  %0 = kolam.elementwise "exp" %x : (tensor<64x6xf32>) -> tensor<64x6xf32>
  %1 = kolam.reduce "add" %0 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x6xf32>) -> tensor<64xf32>
  %2 = kolam.broadcast %1 [0] : tensor<64xf32> -> tensor<64x6xf32>
  %3 = kolam.elementwise "divide" %0, %2 : (tensor<64x6xf32>, tensor<64x6xf32>) -> tensor<64x6xf32>
  %4 = kolam.elementwise "exp" %y : (tensor<64x15xf32>) -> tensor<64x15xf32>
  %5 = kolam.reduce "add" %4 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x15xf32>) -> tensor<64xf32>
  %6 = kolam.broadcast %5 [0] : tensor<64xf32> -> tensor<64x15xf32>
  %7 = kolam.elementwise "divide" %4, %6 : (tensor<64x15xf32>, tensor<64x15xf32>) -> tensor<64x15xf32>
  return %3, %7 : tensor<64x6xf32>, tensor<64x15xf32>
}
