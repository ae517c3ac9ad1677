// RUN: split-file %s %t
// RUN: kolam run %t/products.mlir --stop-after nests | FileCheck %s --check-prefix=PRODUCTS
// RUN: kolam run %t/long.mlir --stop-after nests | FileCheck %s --check-prefix=PLACES
// RUN: kolam run %t/places.mlir --stop-after nests | FileCheck %s --check-prefix=PLACES
// RUN: kolam run %t/wide.mlir --stop-after nests | FileCheck %s --check-prefix=STEPS
// Loops whose states are a few numbers.

// A chain of products of two by two: one nest, and two that put the results together.
// PRODUCTS: nest0: [[A:b[0-9]+]], [[B:b[0-9]+]], [[C:b[0-9]+]], [[D:b[0-9]+]], [[E:b[0-9]+]], [[F:b[0-9]+]] = scan(b1, b0) over [0:1]
// PRODUCTS-NEXT: nest1: {{b[0-9]+}} = concat([[A]], [[B]], [[C]], [[D]]) over [0:2]
// PRODUCTS-NEXT: nest2: {{b[0-9]+}} = concat([[E]], [[F]]) over [0:100]

//--- products.mlir
func.func @main(%x: tensor<100x2x2xf32>, %s: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<100x2xf32>) {
  %r:2 = kolam.scan carry(%s) over(%x) length <["100"]> reverse false : (tensor<2x2xf32>, tensor<100x2x2xf32>) -> (tensor<2x2xf32>, tensor<100x2xf32>) {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    %t = kolam.contract "ik,kj->ij" %b, %a <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %u = kolam.reduce "add" %t dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>) -> tensor<2xf32>
    kolam.yield %t, %u : tensor<2x2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<100x2xf32>
}

// Many functions that are long chains go as vectors, in a loop op by op, in which also elements at places that data says
// are chosen. Large states go step by step.
// STEPS: {{^}}for [
// PLACES: {{^}}nest0: {{.*}} = for(

//--- long.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<10> : tensor<i32>
  %r = kolam.for from %l to %u carry(%x) captures() : (tensor<i32>, tensor<i32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<8xf32>):
    %1 = kolam.reverse %s [0] : tensor<8xf32> -> tensor<8xf32>
    %2 = kolam.elementwise "tanh" %1 : (tensor<8xf32>) -> tensor<8xf32>
    kolam.yield %2 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

//--- places.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<10> : tensor<i32>
  %r = kolam.for from %l to %u carry(%x) captures() : (tensor<i32>, tensor<i32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<8xf32>):
    %1 = kolam.dynamic_slice %s[%i] : (tensor<8xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = kolam.broadcast %1 [0] : tensor<1xf32> -> tensor<8xf32>
    %3 = kolam.elementwise "add" %2, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    kolam.yield %3 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

//--- wide.mlir
func.func @main(%x: tensor<4000xf32>) -> tensor<4000xf32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<10> : tensor<i32>
  %r = kolam.for from %l to %u carry(%x) captures() : (tensor<i32>, tensor<i32>, tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4000xf32>):
    %1 = kolam.reverse %s [0] : tensor<4000xf32> -> tensor<4000xf32>
    %2 = kolam.elementwise "negative" %1 : (tensor<4000xf32>) -> tensor<4000xf32>
    kolam.yield %2 : tensor<4000xf32>
  }
  return %r : tensor<4000xf32>
}
