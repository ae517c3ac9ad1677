// RUN: kolam explain %s | FileCheck %s
// Why threads do not share a nest whose range is 1.

// CHECK-DAG: one thread: it gives one element (why_one_part.mlir:[[# @LINE + 12]])
// CHECK-DAG: one thread: each element depends on one before (why_one_part.mlir:[[# @LINE + 12]])
// CHECK-DAG: one thread: data decides where its elements lie (why_one_part.mlir:[[# @LINE + 12]])
// CHECK-DAG: one thread: its work is one task (why_one_part.mlir:[[# @LINE + 13]])
// CHECK-DAG: one thread: its matrices are one unit of work (why_one_part.mlir:[[# @LINE + 13]])
// CHECK-DAG: one thread: it gives no elements (why_one_part.mlir:[[# @LINE + 15]])
// CHECK-DAG: one thread: an op inside it loops, and would loop again for each part (why_one_part.mlir:[[# @LINE + 15]])
// What has parts is too little work for two threads.
// CHECK-DAG: one thread: it is less than 200000 operations (why_one_part.mlir:[[# @LINE + 14]])
// CHECK-NOT: one thread

func.func @main(%x: tensor<40xf32>, %u: tensor<3x1xf32>, %i: tensor<3x1xi32>, %q: tensor<1x8x8xf32>, %a: tensor<8x24xf32>, %b: tensor<24x32xf32>, %p: tensor<i1>, %s: tensor<1x900x50xf32>, %y: tensor<30xf32>) -> (tensor<f32>, tensor<40xf32>, tensor<40xf32>, tensor<1x8x8xf32>, tensor<8x32xf32>, tensor<1x900x50xf32>, tensor<30xf32>) {
  %0 = kolam.reduce "add" %x dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<40xf32>) -> tensor<f32>
  %1 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<40xf32> -> tensor<40xf32>
  %2 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<40xf32>, tensor<3x1xf32>, tensor<3x1xi32>) -> tensor<40xf32>
  %one = kolam.constant dense<1.0> : tensor<f32>
  %3 = kolam.attention %q, %q, %q scale %one : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<f32>) -> tensor<1x8x8xf32>
  %4 = kolam.contract "ij,jk->ik" %a, %b <"chain<8192>"> : (tensor<8x24xf32>, tensor<24x32xf32>) -> tensor<8x32xf32>
  %m = kolam.reduce "maximum" %s dims [1, 2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1x900x50xf32>) -> tensor<1xf32>
  %n = kolam.broadcast %m [0] : tensor<1xf32> -> tensor<1x900x50xf32>
  kolam.check %p "bad" "expected better" : tensor<i1>
  %5 = kolam.elementwise "subtract" %s, %n : (tensor<1x900x50xf32>, tensor<1x900x50xf32>) -> tensor<1x900x50xf32>
  %6 = kolam.elementwise "negative" %y : (tensor<30xf32>) -> tensor<30xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<40xf32>, tensor<40xf32>, tensor<1x8x8xf32>, tensor<8x32xf32>, tensor<1x900x50xf32>, tensor<30xf32>
}
