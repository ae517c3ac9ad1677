// Columns of products that are the same at every run are packed once, before the first: those of
// constants, but not those of arguments, nor those that a broadcast has made many times as large.
// RUN: kolam explain %s | FileCheck %s
// CHECK-DAG: [[LEFT:b[0-9]+]]: {{.*}} prepared 0
// CHECK: once nest3: prepared 0 = packed columns of contract over [0:1]
// CHECK: nest0: {{.*}} contract(b0, b{{[0-9]+}}, [[LEFT]]) over [0:1], in tiles
// CHECK: nest1: {{.*}} contract(b0, b1) over [0:1], in tiles
// CHECK: nest2: {{.*}} contract(b2, b{{[0-9]+}}) over [0:100] with broadcast, in tiles
// CHECK: nest0 runs by tiles of matrices, whose columns are packed before
// CHECK: nest1 runs by tiles of matrices{{$}}
// CHECK: nest3 runs by packing columns of matrices, once
func.func @main(%x: tensor<8x4xf32>, %y: tensor<4x3xf32>, %z: tensor<100x8x4xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>, tensor<100x8x3xf32>) {
  %w = kolam.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.0, 1.0, 2.0]]> : tensor<4x3xf32>
  %b = kolam.broadcast %w [1, 2] : tensor<4x3xf32> -> tensor<100x4x3xf32>
  %0 = kolam.contract "ij,jk->ik" %x, %w <"chain<8192>"> : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %2 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %3 = kolam.contract "aij,ajk->aik" %z, %b <"chain<8192>"> : (tensor<100x8x4xf32>, tensor<100x4x3xf32>) -> tensor<100x8x3xf32>
  func.return %0, %2, %3 : tensor<8x3xf32>, tensor<8x3xf32>, tensor<100x8x3xf32>
}
