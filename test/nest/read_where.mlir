// RUN: split-file %s %t
// RUN: kolam explain %t/chosen.mlir | FileCheck %s --check-prefix=CHOSEN
// RUN: kolam explain %t/all.mlir | FileCheck %s --check-prefix=ALL
// Products of which a `where` reads some elements alone: tiles without one are not summed.

// Where a condition holds, also behind other functions, and where it fails.
// CHOSEN: nest0 runs by tiles of matrices, but for those that nothing reads
// CHOSEN: nest1 runs by tiles of matrices, but for those that nothing reads

// Not where something else reads the product, the condition asks for sums, or few terms are summed.
// ALL: nest0 runs by tiles of matrices{{$}}
// ALL: nest1 runs by tiles of matrices{{$}}

//--- chosen.mlir
func.func @main(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>, %c: tensor<64x64xi1>, %o: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %p = kolam.contract "ij,jk->ik" %x, %y <"chain<512>"> : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %n = kolam.elementwise "negative" %p : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = kolam.elementwise "where" %c, %n, %o : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = kolam.contract "ij,jk->ki" %x, %y <"chain<512>"> : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %1 = kolam.elementwise "where" %c, %o, %q : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

//--- all.mlir
func.func @main(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>, %c: tensor<64x64xi1>, %a: tensor<64x8xf32>, %b: tensor<8x64xf32>, %o: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %p = kolam.contract "ij,jk->ik" %x, %y <"chain<512>"> : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %w = kolam.elementwise "where" %c, %p, %o : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = kolam.elementwise "add" %w, %p : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = kolam.contract "ij,jk->ik" %a, %b <"chain<512>"> : (tensor<64x8xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
  %1 = kolam.elementwise "where" %c, %q, %o : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
