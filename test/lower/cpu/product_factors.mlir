// REQUIRES: lm
// RUN: split-file %s %t
// RUN: env KOLAM_TARGET=haswell kolam run %t/few.mlir --stop-after lowered | FileCheck %s --check-prefix=FEW
// RUN: env KOLAM_TARGET=haswell kolam run %t/transposed.mlir --stop-after lowered | FileCheck %s --check-prefix=IN-ORDER
// RUN: env KOLAM_TARGET=haswell kolam run %t/block.mlir --stop-after lowered | FileCheck %s --check-prefix=BLOCK
// RUN: env KOLAM_TARGET=haswell kolam run %t/many.mlir --stop-after lowered | FileCheck %s --check-prefix=ROWS
// RUN: env KOLAM_TARGET=haswell kolam run %t/short.mlir --stop-after lowered | FileCheck %s --check-prefix=NONE
// RUN: env KOLAM_TARGET=haswell kolam run %t/near.mlir --stop-after lowered | FileCheck %s --check-prefix=NONE
// Few rows read each column for few products: of a matrix that the near caches do not hold, what comes two pages behind is
// asked for, where columns are read in place and where they are packed (lm: an x86-64 processor). Where the summed dim goes by
// parts, the next part of each row of such a matrix is asked for; of a block that is shorter than two pages, all at once.

// FEW: %[[THERE:.*]] = llvm.getelementptr %{{.*}}[%c8192_i64{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// FEW-NEXT: "llvm.intr.prefetch"(%[[THERE]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// IN-ORDER: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// IN-ORDER: %[[LINE:.*]] = llvm.getelementptr %{{.*}}[%c64_i64
// IN-ORDER-NEXT: "llvm.intr.prefetch"(%[[LINE]])
// BLOCK: scf.for %{{.*}} = %c0_i64{{.*}} to %c16_i64
// BLOCK: "llvm.intr.prefetch"
// BLOCK: scf.for
// BLOCK-NOT: "llvm.intr.prefetch"
// ROWS: "llvm.intr.prefetch"
// ROWS: scf.for
// NONE: func.func
// NONE-NOT: llvm.intr.prefetch

//--- few.mlir
func.func @main(%x: tensor<4x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<4x2048xf32> {
  %r = kolam.contract "ik,kj->ij" %x, %w <"chain<512>"> : (tensor<4x2048xf32>, tensor<2048x2048xf32>) -> tensor<4x2048xf32>
  return %r : tensor<4x2048xf32>
}
//--- transposed.mlir
func.func @main(%x: tensor<4x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<4x2048xf32> {
  %r = kolam.contract "ik,jk->ij" %x, %w <"chain<512>"> : (tensor<4x2048xf32>, tensor<2048x2048xf32>) -> tensor<4x2048xf32>
  return %r : tensor<4x2048xf32>
}
//--- block.mlir
func.func @main(%x: tensor<4x128xf32>, %w: tensor<700x16x128xf32>, %i: tensor<i64>) -> tensor<4x16xf32> {
  %zero = kolam.constant dense<0> : tensor<i64>
  %b = kolam.dynamic_slice %w[%i, %zero, %zero] : (tensor<700x16x128xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x16x128xf32>
  %block = kolam.reshape %b : tensor<1x16x128xf32> -> tensor<16x128xf32>
  %r = kolam.contract "ik,jk->ij" %x, %block <"chain<512>"> : (tensor<4x128xf32>, tensor<16x128xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
//--- many.mlir
func.func @main(%x: tensor<64x8192xf32>, %w: tensor<8192x2048xf32>) -> tensor<64x2048xf32> {
  %r = kolam.contract "ik,kj->ij" %x, %w <"chain<512>"> : (tensor<64x8192xf32>, tensor<8192x2048xf32>) -> tensor<64x2048xf32>
  return %r : tensor<64x2048xf32>
}
//--- short.mlir
func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x2048xf32>) -> tensor<64x2048xf32> {
  %r = kolam.contract "ik,kj->ij" %x, %w <"chain<512>"> : (tensor<64x512xf32>, tensor<512x2048xf32>) -> tensor<64x2048xf32>
  return %r : tensor<64x2048xf32>
}
//--- near.mlir
func.func @main(%x: tensor<4x128xf32>, %w: tensor<128x128xf32>) -> tensor<4x128xf32> {
  %r = kolam.contract "ik,kj->ij" %x, %w <"chain<512>"> : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}
