// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// RUN: env KOLAM_TARGET=haswell kolam explain %s | FileCheck %s --check-prefix=WALK
// When elements are loaded by tiles and when stores go past the caches (lm: an x86-64 processor).

// The elements of an operand that follow one another along the rows of the result are loaded eight by eight.
// CHECK-LABEL: // nest0
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector

// The same where ops lie before and behind, along another dim, and beside an operand that lies straight.
// CHECK-LABEL: // nest1
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<8xf32>
// CHECK-LABEL: // nest2
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector

// Rows stay rows where the innermost dim stays innermost; too few of them make no tile, and are taken out of five vectors.
// CHECK-LABEL: // nest3
// CHECK-NOT: llvm.shufflevector
// CHECK: return
// CHECK-LABEL: // nest4
// CHECK-COUNT-4: llvm.shufflevector
// CHECK-NOT: llvm.shufflevector
// CHECK: return

// A result of 40 MB goes past the caches, by whole lines, and is seen by others when the nest ends.
// CHECK-LABEL: // nest5
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: return

// One of 4 MB does not; nor do rows that are no whole lines.
// CHECK-LABEL: // nest6
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: return
// CHECK-LABEL: // nest7
// CHECK-NOT: nontemporal
// CHECK: return

// Walked as one, rows of 5 elements do, from the first line on that the range has to itself.
// CHECK-LABEL: // nest8
// CHECK: scf.if
// CHECK: llvm.intr.masked.store
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>

// So does a part of one long row.
// CHECK-LABEL: // nest9
// CHECK: %[[AHEAD:.*]] = arith.remui %{{.*}}, %c8_i64
// CHECK: scf.if
// CHECK: llvm.intr.masked.store
// CHECK: %[[FIRST:.*]] = arith.addi %arg3
// CHECK: scf.for %{{.*}} = %[[FIRST]] to
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>

// So does one of 20 MB: beside as much that is read it does not stay in a cache of 32 MB.
// CHECK-LABEL: // nest10
// CHECK: nontemporal

// WALK: nest0 runs by 8 lanes, tiles transposed from dim 0
// WALK: nest2 runs by 8 lanes, dims 1 to 2 as one, tiles transposed from dim 0
// WALK-NEXT: nest3 runs by 8 lanes
// WALK-NEXT: nest4 runs by 8 lanes
// WALK-NEXT: nest5 runs by 8 lanes, dims 0 to 1 as one, past the caches
// WALK-NEXT: nest6 runs by 8 lanes, dims 0 to 1 as one
// WALK-NEXT: nest7 runs by 8 lanes
// WALK-NEXT: nest8 runs by 8 lanes, dims 0 to 1 as one, past the caches

func.func @main(%x: tensor<64x80xf32>, %y: tensor<80x64xf32>, %z: tensor<4x40x24xf32>, %n: tensor<64x5xf32>, %l: tensor<10000x1000xf32>, %m: tensor<1000x1000xf32>, %k: tensor<2000000x5xf32>, %r: tensor<5xf32>, %v: tensor<16000000xf32>, %x_1: tensor<64x80xf32>, %z_3: tensor<4x40x24xf32>, %k_8: tensor<2000000x5xf32>, %h: tensor<5000x1000xf32>) -> (tensor<80x64xf32>, tensor<80x64xf32>, tensor<24x4x40xf32>, tensor<40x4x24xf32>, tensor<5x64xf32>, tensor<10000x1000xf32>, tensor<1000x1000xf32>, tensor<2000000x5xf32>, tensor<2000000x5xf32>, tensor<16000000xf32>, tensor<5000x1000xf32>) {
  %0 = kolam.transpose %x [1, 0] : tensor<64x80xf32> -> tensor<80x64xf32>
  %root = kolam.elementwise "sqrt" %x_1 : (tensor<64x80xf32>) -> tensor<64x80xf32>
  %turned = kolam.transpose %root [1, 0] : tensor<64x80xf32> -> tensor<80x64xf32>
  %1 = kolam.elementwise "add" %turned, %y : (tensor<80x64xf32>, tensor<80x64xf32>) -> tensor<80x64xf32>
  %2 = kolam.transpose %z [2, 0, 1] : tensor<4x40x24xf32> -> tensor<24x4x40xf32>
  %3 = kolam.transpose %z_3 [1, 0, 2] : tensor<4x40x24xf32> -> tensor<40x4x24xf32>
  %4 = kolam.transpose %n [1, 0] : tensor<64x5xf32> -> tensor<5x64xf32>
  %5 = kolam.elementwise "negative" %l : (tensor<10000x1000xf32>) -> tensor<10000x1000xf32>
  %6 = kolam.elementwise "negative" %m : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %rs = kolam.broadcast %r [1] : tensor<5xf32> -> tensor<2000000x5xf32>
  %7 = kolam.elementwise "add" %k, %rs : (tensor<2000000x5xf32>, tensor<2000000x5xf32>) -> tensor<2000000x5xf32>
  %8 = kolam.elementwise "negative" %k_8 : (tensor<2000000x5xf32>) -> tensor<2000000x5xf32>
  %9 = kolam.elementwise "negative" %v : (tensor<16000000xf32>) -> tensor<16000000xf32>
  %10 = kolam.elementwise "negative" %h : (tensor<5000x1000xf32>) -> tensor<5000x1000xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<80x64xf32>, tensor<80x64xf32>, tensor<24x4x40xf32>, tensor<40x4x24xf32>, tensor<5x64xf32>, tensor<10000x1000xf32>, tensor<1000x1000xf32>, tensor<2000000x5xf32>, tensor<2000000x5xf32>, tensor<16000000xf32>, tensor<5000x1000xf32>
}
