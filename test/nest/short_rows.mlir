// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake-avx512 kolam explain %s | FileCheck %s
// When lanes go along rows of few elements, and when along the rows' own elements (lm: an x86-64 processor).

// Sums along a row, and little beside loads: ten elements of sixteen rows at once, or ten lanes of a vector.
// CHECK: nest0 runs by 16 lanes, short rows interleaved
// CHECK-NEXT: nest1 runs by 16 lanes{{$}}
// Products of small matrices: all elements of sixteen of them.
// CHECK-NEXT: nest2 runs by 16 lanes, dims 1 to 2 as one, short rows interleaved
// Rows of 20 elements, and too few rows.
// CHECK-NEXT: nest3 runs by 1 lane: lanes along the elements of an element
// CHECK-NOT: interleaved

func.func @main(%x: tensor<4096x10xf32>, %b: tensor<10xf32>, %g: tensor<512x4x4xf32>, %h: tensor<512x4x4xf32>, %w: tensor<4096x20xf32>, %x_1: tensor<4096x10xf32>, %f: tensor<8x10xf32>) -> (tensor<4096x10xf32>, tensor<4096x10xf32>, tensor<512x4x4xf32>, tensor<4096xf32>, tensor<8x10xf32>) {
  %0 = kolam.elementwise "exp" %x : (tensor<4096x10xf32>) -> tensor<4096x10xf32>
  %1 = kolam.reduce "add" %0 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4096x10xf32>) -> tensor<4096xf32>
  %2 = kolam.broadcast %1 [0] : tensor<4096xf32> -> tensor<4096x10xf32>
  %3 = kolam.elementwise "divide" %0, %2 : (tensor<4096x10xf32>, tensor<4096x10xf32>) -> tensor<4096x10xf32>
  %4 = kolam.broadcast %b [1] : tensor<10xf32> -> tensor<4096x10xf32>
  %5 = kolam.elementwise "add" %x_1, %4 : (tensor<4096x10xf32>, tensor<4096x10xf32>) -> tensor<4096x10xf32>
  %6 = kolam.contract "bik,bkj->bij" %g, %h <"lanes<64>, chunk<4096>"> : (tensor<512x4x4xf32>, tensor<512x4x4xf32>) -> tensor<512x4x4xf32>
  %7 = kolam.reduce "add" %w dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4096x20xf32>) -> tensor<4096xf32>
  %8 = kolam.elementwise "exp" %f : (tensor<8x10xf32>) -> tensor<8x10xf32>
  %9 = kolam.reduce "add" %8 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<8x10xf32>) -> tensor<8xf32>
  %10 = kolam.broadcast %9 [0] : tensor<8xf32> -> tensor<8x10xf32>
  %11 = kolam.elementwise "divide" %8, %10 : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
  return %3, %5, %6, %7, %11 : tensor<4096x10xf32>, tensor<4096x10xf32>, tensor<512x4x4xf32>, tensor<4096xf32>, tensor<8x10xf32>
}
