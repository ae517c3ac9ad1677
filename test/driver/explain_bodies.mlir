// RUN: kolam explain %s | FileCheck %s
// Steps around and inside bodies: a step is told once, with the turns of its loops, and ops of bodies are told apart by
// the op whose body it is.

// CHECK: nest2 = %2/%5 exp (explain_bodies.mlir:[[# @LINE + 11]]): 32000 bytes, {{[0-9]+}} flops, 7 times
// CHECK: top_k: 16004 bytes, {{[0-9]+}} flops
// CHECK: %2/%3 negative (explain_bodies.mlir:[[# @LINE + 7]]) -> %2/%4 reverse (explain_bodies.mlir:[[# @LINE + 8]]): fused

func.func @main(%x: tensor<4000xf32>) -> (tensor<4000xf32>, tensor<1xf32>) {
  %l = kolam.constant dense<3> : tensor<i32>
  %u = kolam.constant dense<10> : tensor<i32>
  %r = kolam.for from %l to %u carry(%x) captures() : (tensor<i32>, tensor<i32>, tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4000xf32>):
    %0 = kolam.elementwise "negative" %s : (tensor<4000xf32>) -> tensor<4000xf32>
    %1 = kolam.reverse %0 [0] : tensor<4000xf32> -> tensor<4000xf32>
    %2 = kolam.elementwise "exp" %1 : (tensor<4000xf32>) -> tensor<4000xf32>
    kolam.yield %2 : tensor<4000xf32>
  }
  %v, %p = kolam.top_k %x k 1 {largest = true} : (tensor<4000xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return %r, %v : tensor<4000xf32>, tensor<1xf32>
}
