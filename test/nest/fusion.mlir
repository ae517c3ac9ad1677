// RUN: split-file %s %t
// RUN: kolam explain %t/reads.mlir | FileCheck %s --check-prefix=READS
// RUN: kolam explain %t/kept.mlir | FileCheck %s --check-prefix=KEPT
// RUN: kolam explain %t/grown.mlir | FileCheck %s --check-prefix=GROWN
// Which ops are computed inside their consumers, and why the others get memory.

// Read once: fused, however costly. Read by every row of a product: fused where that costs no more than loading it.
// READS: nest0: {{b[0-9]+}} = negative(b0) over [0:4] with exp
// READS-NEXT: nest1: [[T:b[0-9]+]] = tanh(b0) over [0:4]
// READS-NEXT: nest2: {{b[0-9]+}} = contract([[T]], b0) over [0:4] with abs
// READS: exp ({{.*}}) -> %{{.*}} negative ({{.*}}): fused
// READS: tanh ({{.*}}) -> %{{.*}} contract ({{.*}}): not fused: each cell is read 4 times and costs {{[0-9]+}} operations
// READS: abs ({{.*}}) -> %{{.*}} contract ({{.*}}): fused

//--- reads.mlir
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %once = kolam.elementwise "exp" %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = kolam.elementwise "negative" %once : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %costly = kolam.elementwise "tanh" %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %cheap = kolam.elementwise "abs" %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = kolam.contract "ij,jk->ik" %costly, %cheap <"chain<8192>"> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %p : tensor<4x4xf32>, tensor<4x4xf32>
}

// What something needs in memory: a result, a literal, an op without single cells, the operand of a step of its own.
// KEPT: nest0: [[E:b[0-9]+]] = exp(b0) over [0:4]
// KEPT: nest{{[0-9]+}}: {{b[0-9]+}} = square([[E]]) over [0:4]
// KEPT: exp ({{.*}}) -> %{{.*}} square ({{.*}}): not fused: it is a result
// KEPT: cumulative ({{.*}}) -> %{{.*}} floor ({{.*}}): not fused: it gives no single cells
// KEPT: constant ({{.*}}) -> %{{.*}} broadcast ({{.*}}): not fused: it is a literal
// KEPT: floor ({{.*}}) -> %{{.*}} add ({{.*}}): fused
// KEPT: broadcast ({{.*}}) -> %{{.*}} add ({{.*}}): fused
// KEPT: sqrt ({{.*}}) -> %{{.*}} sort ({{.*}}): not fused: a step of its own needs it in memory

//--- kept.mlir
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = kolam.elementwise "exp" %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = kolam.elementwise "square" %e : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %sums = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = false} : tensor<4x4xf32> -> tensor<4x4xf32>
  %b = kolam.elementwise "floor" %sums : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = kolam.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = kolam.broadcast %l [1] : tensor<4xf32> -> tensor<4x4xf32>
  %a = kolam.elementwise "add" %b, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %keys = kolam.elementwise "sqrt" %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %v, %o = kolam.sort %keys {descending = false} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xi32>)
  return %e, %q, %a, %v : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Every step doubles the cells that are emitted; the sixth fused one is the last that fits.
// GROWN: nest0: [[C:b[0-9]+]] = concat(b0) over [0:64] with concat concat concat concat concat
// GROWN-NEXT: nest1: {{b[0-9]+}} = concat([[C]]) over [0:128]
// GROWN-COUNT-10: concat ({{.*}}) -> %{{.*}} concat ({{.*}}): fused
// GROWN-NOT: : fused
// GROWN: concat ({{.*}}) -> %{{.*}} concat ({{.*}}): not fused: the nest would grow too large
// GROWN-NOT: : fused

//--- grown.mlir
func.func @main(%x: tensor<1xf32>) -> tensor<128xf32> {
  %2 = kolam.concat %x, %x dim 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %4 = kolam.concat %2, %2 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %8 = kolam.concat %4, %4 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %16 = kolam.concat %8, %8 dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %32 = kolam.concat %16, %16 dim 0 : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  %64 = kolam.concat %32, %32 dim 0 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  %128 = kolam.concat %64, %64 dim 0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  return %128 : tensor<128xf32>
}
