// RUN: kolam explain %s | FileCheck %s
// Ops have the names of their text, behind those of the ops whose bodies they stand in, and the number of the body where
// there are several; an op without results has its own name.

// CHECK-DAG: = check (op_names.mlir:[[# @LINE + 6]])
// CHECK-DAG: = %0.0/%{{[0-9]+}} exp (op_names.mlir:[[# @LINE + 8]])
// CHECK-DAG: = %0.1/%{{[0-9]+}} tanh (op_names.mlir:[[# @LINE + 11]])

func.func @main(%p: tensor<i1>, %x: tensor<5xf32>) -> tensor<5xf32> {
  // No results.
  kolam.check %p "bad" "expected better" : tensor<i1>
  %r = kolam.cond %p captures(%x) : (tensor<i1>, tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    %e = kolam.elementwise "exp" %a : (tensor<5xf32>) -> tensor<5xf32>
    kolam.yield %e : tensor<5xf32>
  }, {
  ^bb0(%a: tensor<5xf32>):
    %t = kolam.elementwise "tanh" %a : (tensor<5xf32>) -> tensor<5xf32>
    kolam.yield %t : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
