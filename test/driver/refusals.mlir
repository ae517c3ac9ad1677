// RUN: kolam explain %s | FileCheck %s
// What was refused, by reason: those met most often first, with the lines of the ops; n where numbers differ.

//      CHECK: refused, by reason:
// CHECK-NEXT: {{^}}  4 times element by element: it calls kolam_sin_large_f32 (refusals.mlir:[[# @LINE + 10]], refusals.mlir:[[# @LINE + 12]], refusals.mlir:[[# @LINE + 15]], refusals.mlir:[[# @LINE + 17]])
// CHECK-NEXT: {{^}}  2 times not fused: each element is read n times and costs n operations, in memory n (refusals.mlir:[[# @LINE + 7]], refusals.mlir:[[# @LINE + 12]])
// CHECK-NEXT: {{^}}  2 times one thread: it is less than 200000 operations (refusals.mlir:[[# @LINE + 6]], refusals.mlir:[[# @LINE + 11]])
// CHECK-NEXT: {{^}}  1 time not fused: it is a result (refusals.mlir:[[# @LINE + 7]])
// CHECK-NEXT: {{^}}  1 time one lane: rows too short for vectors (refusals.mlir:[[# @LINE + 13]])
//      CHECK: compiled before:

func.func @main(%x: tensor<64xf32>, %y: tensor<20000x10x2xf32>, %q: tensor<64xf32>) -> (tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<5000x64xf32>, tensor<20000x10x2xf32>) {
  %e = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  %b = kolam.broadcast %e [1] : tensor<64xf32> -> tensor<1000x64xf32>
  %r = kolam.elementwise "sin" %b : (tensor<1000x64xf32>) -> tensor<1000x64xf32>
  %w = kolam.reverse %r [0] : tensor<1000x64xf32> -> tensor<1000x64xf32>
  %s = kolam.elementwise "sin" %w : (tensor<1000x64xf32>) -> tensor<1000x64xf32>
  %t = kolam.elementwise "tanh" %q : (tensor<64xf32>) -> tensor<64xf32>
  %c = kolam.broadcast %t [1] : tensor<64xf32> -> tensor<5000x64xf32>
  %u = kolam.elementwise "sin" %c : (tensor<5000x64xf32>) -> tensor<5000x64xf32>
  %v = kolam.reverse %y [2] : tensor<20000x10x2xf32> -> tensor<20000x10x2xf32>
  %z = kolam.elementwise "sin" %v : (tensor<20000x10x2xf32>) -> tensor<20000x10x2xf32>
  return %r, %s, %u, %z : tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<5000x64xf32>, tensor<20000x10x2xf32>
}
