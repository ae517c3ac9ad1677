// RUN: split-file %s %t
// RUN: kolam explain %t/units.mlir | FileCheck %s --check-prefix=UNITS
// RUN: kolam explain %t/inside.mlir | FileCheck %s --check-prefix=INSIDE
// Products of matrices: which contractions are computed by tiles, in how many units, and with what around them.

// Units of 48 rows and 48 columns for each matrix of the batch, of 96 where rows or columns are not more; rows may be several dims, and either factor may hold them.
// UNITS: nest0: {{.*}} over [0:21], in tiles
// UNITS: nest1: {{.*}} over [0:75], in tiles
// UNITS: nest2: {{.*}} over [0:35], in tiles
// UNITS: nest3: {{.*}} over [0:7], in tiles
// A convolution is one; elements around its input are added before.
// UNITS: nest4: {{.*}} over [0:6], in tiles
// UNITS: nest5: [[PADDED:b[0-9]+]] = pad({{.*}})
// UNITS: nest6: {{.*}} = convolution([[PADDED]], {{.*}}) over [0:6], in tiles
// None are: sums by lanes, sums of two, a last dim of both factors.
// UNITS: nest7: {{.*}} over [0:100]{{$}}
// UNITS: nest8: {{.*}} over [0:100]{{$}}
// UNITS: nest9: {{.*}} over [0:4]{{$}}

//--- units.mlir
func.func @main(%x: tensor<100x30xf32>, %y: tensor<30x300xf32>, %z: tensor<5x30x200xf32>, %w: tensor<4x50x30xf32>, %i: tensor<4x9x9x30xf32>, %f: tensor<2x2x30x16xf32>, %n: tensor<15x30xf32>, %a: tensor<100x2xf32>, %b: tensor<2x300xf32>) -> (tensor<100x300xf32>, tensor<5x100x200xf32>, tensor<4x50x300xf32>, tensor<300x50xf32>, tensor<4x8x8x16xf32>, tensor<4x9x8x16xf32>, tensor<100x15xf32>, tensor<100x300xf32>, tensor<4x9x9x30xf32>) {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<100x30xf32>, tensor<30x300xf32>) -> tensor<100x300xf32>
  %1 = kolam.contract "ij,bjk->bik" %x, %z <"chain<8192>"> : (tensor<100x30xf32>, tensor<5x30x200xf32>) -> tensor<5x100x200xf32>
  %2 = kolam.contract "aij,jk->aik" %w, %y <"chain<8192>"> : (tensor<4x50x30xf32>, tensor<30x300xf32>) -> tensor<4x50x300xf32>
  %s = kolam.slice %w <["0", "0", "0"]> [1, 1, 1] : tensor<4x50x30xf32> -> tensor<1x50x30xf32>
  %q = kolam.squeeze %s [0] : tensor<1x50x30xf32> -> tensor<50x30xf32>
  %3 = kolam.contract "ij,jk->ki" %q, %y <"chain<8192>"> : (tensor<50x30xf32>, tensor<30x300xf32>) -> tensor<300x50xf32>
  %4 = kolam.convolution %i, %f <"chain<8192>"> {dilation = array<i64: 1, 1>, groups = 1 : i64, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<4x9x9x30xf32>, tensor<2x2x30x16xf32>) -> tensor<4x8x8x16xf32>
  %5 = kolam.convolution %i, %f <"chain<8192>"> {dilation = array<i64: 1, 1>, groups = 1 : i64, high = array<i64: 0, 0>, low = array<i64: 1, 0>, strides = array<i64: 1, 1>} : (tensor<4x9x9x30xf32>, tensor<2x2x30x16xf32>) -> tensor<4x9x8x16xf32>
  %6 = kolam.contract "ij,kj->ik" %x, %n <"lanes<64>, chunk<4096>"> : (tensor<100x30xf32>, tensor<15x30xf32>) -> tensor<100x15xf32>
  %7 = kolam.contract "ij,jk->ik" %a, %b <"chain<8192>"> : (tensor<100x2xf32>, tensor<2x300xf32>) -> tensor<100x300xf32>
  %8 = kolam.contract "abcd,abcd->abcd" %i, %i <"chain<8192>"> : (tensor<4x9x9x30xf32>, tensor<4x9x9x30xf32>) -> tensor<4x9x9x30xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<100x300xf32>, tensor<5x100x200xf32>, tensor<4x50x300xf32>, tensor<300x50xf32>, tensor<4x8x8x16xf32>, tensor<4x9x8x16xf32>, tensor<100x15xf32>, tensor<100x300xf32>, tensor<4x9x9x30xf32>
}

// Products whose matrices have the same dims share a nest with what is made of them; others, and those read at other
// elements, get memory.
// INSIDE: nest0: {{b[0-9]+}} = add({{.*}}) over [0:1] with {{.*}}contract{{.*}}contract{{.*}}, in tiles
// INSIDE: nest1: [[P:b[0-9]+]] = contract({{.*}}) over [0:1], in tiles
// INSIDE: nest2: {{b[0-9]+}} = abs([[P]]){{.*}} with reverse
// INSIDE: nest3: {{.*}} = contract({{.*}}) over [0:6], in tiles
// INSIDE: nest4: {{b[0-9]+}} = multiply({{.*}}) {{.*}}, in tiles
// INSIDE: nest5: [[Q:b[0-9]+]] = contract({{.*}}) over [0:1], in tiles
// INSIDE: nest6: {{b[0-9]+}} = multiply([[Q]]){{.*}} with slice
// INSIDE: contract ({{.*}}) -> %{{.*}} reverse ({{.*}}): not fused: its tiles are of other elements than its consumer's
// INSIDE: contract ({{.*}}) -> %{{.*}} multiply ({{.*}}): not fused: its consumer has other matrices in tiles
// INSIDE: contract ({{.*}}) -> %{{.*}} slice ({{.*}}): not fused: its tiles are of other elements than its consumer's

//--- inside.mlir
func.func @main(%x: tensor<16x16xf32>, %z: tensor<16x16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16x16xf32>, tensor<8x16xf32>) {
  %a = kolam.contract "ij,jk->ik" %x, %x <"chain<8192>"> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = kolam.contract "ji,jk->ik" %x, %x <"chain<8192>"> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = kolam.elementwise "add" %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %p = kolam.contract "ij,kj->ik" %x, %x <"chain<8192>"> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = kolam.reverse %p [0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = kolam.elementwise "abs" %r : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = kolam.contract "abj,jk->abk" %z, %x <"chain<8192>"> : (tensor<16x16x16xf32>, tensor<16x16xf32>) -> tensor<16x16x16xf32>
  %d = kolam.contract "abj,ajk->abk" %z, %z <"chain<8192>"> : (tensor<16x16x16xf32>, tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  %2 = kolam.elementwise "multiply" %c, %d : (tensor<16x16x16xf32>, tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  %q = kolam.contract "ji,kj->ik" %x, %x <"chain<8192>"> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = kolam.slice %q <["0", "0"]> [1, 1] : tensor<16x16xf32> -> tensor<8x16xf32>
  %3 = kolam.elementwise "multiply" %s, %s : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1, %2, %3 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16x16xf32>, tensor<8x16xf32>
}
