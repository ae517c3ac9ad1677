// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// Contractions without a tile: each loop over the summed dim carries one sum, of four registers of columns where their
// elements do not go by lanes themselves (lm: an x86-64 processor).

// Elements by lanes: a cell at a time.
// CHECK-LABEL: // nest0
// CHECK-NOT: {{:[0-9]+}} = scf.for
// CHECK: math.fma {{.*}} : vector<64xf32>
// CHECK: llvm.store %{{.*}} : f32

// The result is read at another index than the root's own.
// CHECK-LABEL: // nest1
// CHECK-NOT: {{:[0-9]+}} = scf.for
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK-NOT: {{:[0-9]+}} = scf.for

// Two contractions in one nest.
// CHECK-LABEL: // nest2
// CHECK-NOT: {{:[0-9]+}} = scf.for
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK-NOT: {{:[0-9]+}} = scf.for

// Both factors differ from column to column.
// CHECK-LABEL: // nest3
// CHECK-NOT: {{:[0-9]+}} = scf.for
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK-NOT: {{:[0-9]+}} = scf.for

// No rows.
// CHECK-LABEL: // nest4
// CHECK-NOT: {{:[0-9]+}} = scf.for
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK-NOT: {{:[0-9]+}} = scf.for

func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64x64xf32>, %v: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>) {
  %0 = kolam.contract "ij,kj->ik" %x, %y <"lanes<64>, chunk<4096>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = kolam.reverse %p [0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = kolam.elementwise "negative" %r : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = kolam.contract "ij,jk->ik" %y, %x <"chain<8192>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = kolam.contract "ji,jk->ik" %x, %y <"chain<8192>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = kolam.elementwise "add" %q, %s : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = kolam.contract "kij,kj->ij" %z, %y <"chain<8192>"> : (tensor<64x64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = kolam.contract "ij,i->j" %x, %v <"chain<8192>"> : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %2, %3, %4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>
}
