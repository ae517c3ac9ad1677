// REQUIRES: lm
// RUN: env KOLAM_TARGET=x86-64 kolam run %s --stop-after lowered | FileCheck %s -D#N=4
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s -D#N=8
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s -D#N=16
// How many elements are computed at once, on targets whose registers hold 4, 8 and 16 floats (lm: an x86-64 processor).

// As many 32-bit elements as a register holds, also of wider dtypes; of bytes alone as many as it holds.
// CHECK-LABEL: // nest0
// CHECK: math.sqrt %{{.*}} : vector<[[#N]]xf32>
// CHECK-LABEL: // nest1
// CHECK: math.sqrt %{{.*}} : vector<[[#N]]xf64>
// CHECK-LABEL: // nest2
// CHECK: arith.xori %{{.*}} : vector<[[#mul(4,N)]]xi1>

// Sums over a loop run side by side, as many as a row has, so that additions need not wait for each other.
// CHECK-LABEL: // nest3
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<[[#N]]xf32>, vector<[[#N]]xf32>{{[,)]}}

// A sum of other elements than the root's fills four registers.
// CHECK-LABEL: // nest4
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<[[#mul(4,N)]]xf32>)
// CHECK: math.sqrt %{{.*}} : vector<[[#mul(4,N)]]xf32>

// A sum whose own elements go by lanes leaves the elements to come one by one, where each needs a sum of its own.
// CHECK-LABEL: // nest5
// CHECK-NOT: llvm.store {{.*}}vector
// CHECK: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK: llvm.store %{{.*}} : f32

// One sum for all lanes does not hinder them.
// CHECK-LABEL: // nest6
// CHECK: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK: arith.subf %{{.*}} : vector<[[#N]]xf32>

// Nor does a place that data decides make them differ, where that data is the same for all.
// CHECK-LABEL: // nest7
// CHECK: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK: arith.subf %{{.*}} : vector<[[#N]]xf32>

// But where it differs, so do the elements that are found there.
// CHECK-LABEL: // nest8
// CHECK: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK: arith.negf %{{.*}} : f32

// Rows of three are too short for vectors: unless they are one with their neighbours, a vector has elements of many rows, and
// three of them are interleaved. A size that is not known is long.
// CHECK-LABEL: // nest9
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<[[#N]]xf32>
// CHECK: llvm.shufflevector
// CHECK-LABEL: // nest10
// CHECK: math.sqrt %{{.*}} : vector<[[#N]]xf32>
// CHECK-LABEL: // nest11
// CHECK: math.sqrt %{{.*}} : vector<[[#N]]xf32>

func.func @main(%x: tensor<64x80xf32>, %d: tensor<64x80xf64>, %c: tensor<64x80xi1>, %s: tensor<64x3xf32>, %n: tensor<?xf32, #kolam.extents<["n"]>>, %i: tensor<64x1xi32>, %t: tensor<3xf32>, %q: tensor<64x32xf32>, %x_4: tensor<64x80xf32>, %x_5: tensor<64x80xf32>, %x_6: tensor<64x80xf32>, %x_7: tensor<64x80xf32>, %x_8: tensor<64x80xf32>, %i_8: tensor<64x1xi32>, %s_11: tensor<64x3xf32>) -> (tensor<64x80xf32>, tensor<64x80xf64>, tensor<64x80xi1>, tensor<32xf32>, tensor<1x80xf32>, tensor<64xf32>, tensor<64x80xf32>, tensor<64x80xf32>, tensor<64xf32>, tensor<64x3xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<64x3xf32>) {
  %0 = kolam.elementwise "sqrt" %x : (tensor<64x80xf32>) -> tensor<64x80xf32>
  %1 = kolam.elementwise "sqrt" %d : (tensor<64x80xf64>) -> tensor<64x80xf64>
  %2 = kolam.elementwise "logical_not" %c : (tensor<64x80xi1>) -> tensor<64x80xi1>
  %3 = kolam.reduce "add" %q dims [0] commutative true <"chunk<64>"> : (tensor<64x32xf32>) -> tensor<32xf32>
  %m = kolam.reduce "maximum" %x_4 dims [0] commutative true <"chunk<64>"> : (tensor<64x80xf32>) -> tensor<80xf32>
  %r = kolam.elementwise "sqrt" %m : (tensor<80xf32>) -> tensor<80xf32>
  %4 = kolam.broadcast %r [1] : tensor<80xf32> -> tensor<1x80xf32>
  %5 = kolam.reduce "minimum" %x_5 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %sum = kolam.reduce "add" %x_6 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %rows = kolam.broadcast %sum [0] : tensor<64xf32> -> tensor<64x80xf32>
  %6 = kolam.elementwise "subtract" %x_6, %rows : (tensor<64x80xf32>, tensor<64x80xf32>) -> tensor<64x80xf32>
  %sum1 = kolam.reduce "multiply" %x_7 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %found = kolam.gather %sum1, %i "clip" dims [0] lengths [1] batched 0 : (tensor<64xf32>, tensor<64x1xi32>) -> tensor<64x1xf32>
  %flat = kolam.squeeze %found [1] : tensor<64x1xf32> -> tensor<64xf32>
  %rows1 = kolam.broadcast %flat [0] : tensor<64xf32> -> tensor<64x80xf32>
  %7 = kolam.elementwise "subtract" %x_7, %rows1 : (tensor<64x80xf32>, tensor<64x80xf32>) -> tensor<64x80xf32>
  %sum2 = kolam.reduce "maximum" %x_8 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<64x80xf32>) -> tensor<64xf32>
  %found2 = kolam.gather %sum2, %i_8 "clip" dims [0] lengths [1] batched 0 : (tensor<64xf32>, tensor<64x1xi32>) -> tensor<64x1xf32>
  %flat2 = kolam.squeeze %found2 [1] : tensor<64x1xf32> -> tensor<64xf32>
  %8 = kolam.elementwise "negative" %flat2 : (tensor<64xf32>) -> tensor<64xf32>
  %three = kolam.broadcast %t [1] : tensor<3xf32> -> tensor<64x3xf32>
  %9 = kolam.elementwise "add" %s, %three : (tensor<64x3xf32>, tensor<64x3xf32>) -> tensor<64x3xf32>
  %10 = kolam.elementwise "sqrt" %n : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  %11 = kolam.elementwise "sqrt" %s_11 : (tensor<64x3xf32>) -> tensor<64x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<64x80xf32>, tensor<64x80xf64>, tensor<64x80xi1>, tensor<32xf32>, tensor<1x80xf32>, tensor<64xf32>, tensor<64x80xf32>, tensor<64x80xf32>, tensor<64xf32>, tensor<64x3xf32>, tensor<?xf32, #kolam.extents<["n"]>>, tensor<64x3xf32>
}
