// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,NARROW -D#N=8 -D#TILE=12 -D#ROWS=4 -D#WIDTH=24
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after lowered | FileCheck %s --check-prefixes=CHECK,WIDE -D#N=16 -D#TILE=24 -D#ROWS=8 -D#WIDTH=48
// Products of matrices by tiles: eight rows of three vectors of sixteen columns, or four of three of eight where
// registers are narrower and fewer (lm: an x86-64 processor).

// Many rows: each panel of columns is packed once and serves all tiles of rows of the range. The sums of a tile run in
// one loop over the summed dim; other ops of the nest are computed on them.
// CHECK-LABEL: // nest0
// CHECK: %[[MEMORY:.*]] = llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (i64) -> !llvm.ptr
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step %c[[#WIDTH]]_i64
// CHECK: scf.for %[[K:.*]] = %c0_i64{{.*}} to %c128_i64
// CHECK-COUNT-3: llvm.store %{{.*}} : vector<[[#N]]xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c[[#ROWS]]_i64
// CHECK: :[[#TILE]] = scf.for %{{.*}} = %c0_i64{{.*}} to %c128_i64
// CHECK-COUNT-3: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// NARROW-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> f32
// WIDE-COUNT-8: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT: llvm.load
// NARROW-COUNT-12: math.fma
// WIDE-COUNT-24: math.fma
// CHECK: scf.yield
// CHECK-NOT: llvm.load
// CHECK: arith.negf
// CHECK: llvm.store %{{.*}} : vector<[[#N]]xf32>

// Few rows of large matrices: columns are read where they lie, 32 of the summed dim at a time, into sums in memory. After
// a chunk these merge with those that wait, then wait themselves.
// CHECK-LABEL: // nest1
// CHECK: scf.for %[[CHUNK:.*]] = %c0_i64{{.*}} to %c2_i64
// CHECK: %[[BEGIN:.*]] = arith.muli %[[CHUNK]], %c512_i64
// CHECK: scf.for %[[PART:.*]] = %[[BEGIN]] to %{{.*}} step %c32_i64
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c[[#WIDTH]]_i64
// CHECK: llvm.load %{{.*}} -> vector<[[#N]]xf32>
// CHECK: scf.for %{{.*}} = %[[PART]] to %[[END]] step %c1_i64
// CHECK: math.fma
// CHECK: llvm.store %{{.*}} : vector<[[#N]]xf32>
// CHECK: math.ctpop
// CHECK: arith.addf %{{.*}} : vector<[[#N]]xf32>
// CHECK: llvm.store %{{.*}} : vector<[[#N]]xf32>
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : vector<[[#N]]xf32>

// Few columns of a small matrix are read where they lie too, all summed at once. The last column is by itself, and a
// tile of the rows that are left.
// CHECK-LABEL: // nest2
// CHECK-NOT: step %c32_i64
// CHECK: math.fma
// CHECK: llvm.extractelement
// CHECK: llvm.store %{{.*}} : f32

// Rows of two dims, among many.
// CHECK-LABEL: // nest3
// CHECK: arith.divsi
// CHECK: math.fma

// Sizes of the call: the order by the number of rows, tiles of 4, 2 and 1 rows behind the whole ones.
// CHECK-LABEL: // nest4
// CHECK: arith.cmpi sle, %{{.*}}, %c96_i64
// CHECK: scf.if
// CHECK: step %c32_i64
// CHECK: else
// CHECK: arith.subi

// A weight for each row, chosen by data: neighbours with the same weight are one matrix, in parts.
// CHECK-LABEL: // nest5
// CHECK: scf.for %{{.*}} iter_args(%[[FIRST:.*]] = %{{.*}})
// CHECK: %[[ENDS:.*]] = scf.if
// CHECK: arith.cmpi ne
// CHECK: scf.if %[[ENDS]]
// CHECK: step %c8_i64
// CHECK: else
// CHECK: step %c32_i64
// CHECK: arith.select %[[ENDS]], %{{.*}}, %[[FIRST]]

// Many rows in chunks: the sums of a tile wait in working memory.
// CHECK-LABEL: // nest6
// CHECK: :[[#TILE]] = scf.for %{{.*}} = %c0_i64{{.*}} to %c3_i64
// CHECK: :[[#TILE]] = scf.for
// CHECK: math.ctpop
// CHECK: scf.for {{.*}} -> (i64, vector<[[#N]]xf32>
// CHECK: arith.addf %{{.*}} : vector<[[#N]]xf32>
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : vector<[[#N]]xf32>

func.func @main(%x: tensor<200x128xf32>, %y: tensor<128x96xf32>, %u: tensor<8x1024xf32>, %v: tensor<1024x192xf32>, %s: tensor<9x33xf32>, %t: tensor<33x17xf32>, %r: tensor<8x30x128xf32>, %m: tensor<?x1024xf32, #kolam.extents<["m", "1024"]>>, %w: tensor<5x1024x192xf32>, %g: tensor<40x1xi64>, %h: tensor<40x1024xf32>, %a: tensor<200x1030xf32>, %b: tensor<1030x96xf32>) -> (tensor<200x96xf32>, tensor<8x192xf32>, tensor<9x17xf32>, tensor<8x30x96xf32>, tensor<?x192xf32, #kolam.extents<["m", "192"]>>, tensor<40x192xf32>, tensor<200x96xf32>) {
  %p = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<200x128xf32>, tensor<128x96xf32>) -> tensor<200x96xf32>
  %0 = kolam.elementwise "negative" %p : (tensor<200x96xf32>) -> tensor<200x96xf32>
  %1 = kolam.contract "ij,jk->ik" %u, %v <"chain<512>"> : (tensor<8x1024xf32>, tensor<1024x192xf32>) -> tensor<8x192xf32>
  %2 = kolam.contract "ij,jk->ik" %s, %t <"chain<8192>"> : (tensor<9x33xf32>, tensor<33x17xf32>) -> tensor<9x17xf32>
  %3 = kolam.contract "aij,jk->aik" %r, %y <"chain<8192>"> : (tensor<8x30x128xf32>, tensor<128x96xf32>) -> tensor<8x30x96xf32>
  %4 = kolam.contract "ij,jk->ik" %m, %v <"chain<8192>"> : (tensor<?x1024xf32, #kolam.extents<["m", "1024"]>>, tensor<1024x192xf32>) -> tensor<?x192xf32, #kolam.extents<["m", "192"]>>
  %5 = kolam.gather %w, %g "clip" dims [0] lengths [1] batched 0 : (tensor<5x1024x192xf32>, tensor<40x1xi64>) -> tensor<40x1x1024x192xf32>
  %6 = kolam.squeeze %5 [1] : tensor<40x1x1024x192xf32> -> tensor<40x1024x192xf32>
  %7 = kolam.contract "bj,bjk->bk" %h, %6 <"chain<8192>"> : (tensor<40x1024xf32>, tensor<40x1024x192xf32>) -> tensor<40x192xf32>
  %8 = kolam.contract "ij,jk->ik" %a, %b <"chain<512>"> : (tensor<200x1030xf32>, tensor<1030x96xf32>) -> tensor<200x96xf32>
  return %0, %1, %2, %3, %4, %7, %8 : tensor<200x96xf32>, tensor<8x192xf32>, tensor<9x17xf32>, tensor<8x30x96xf32>, tensor<?x192xf32, #kolam.extents<["m", "192"]>>, tensor<40x192xf32>, tensor<200x96xf32>
}
