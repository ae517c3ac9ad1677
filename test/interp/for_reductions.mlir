// RUN: kolam run %s --backend interpret | FileCheck %s
// RUN: kolam run %s --backend cpu | FileCheck %s
// A scalar state that is a reduction's, carried beside elements. By hand: 0 + (1 + 2 + 2 i), i in 0, 1, 2, twice each.

// CHECK: [14 14 14 14 14]

func.func @main() -> tensor<5xi32> {
  %x = kolam.constant dense<[1, 2]> : tensor<2xi32>
  %zero = kolam.constant dense<0> : tensor<i32>
  %three = kolam.constant dense<3> : tensor<i32>
  %start = kolam.broadcast %zero [] : tensor<i32> -> tensor<5xi32>
  %0 = kolam.for from %zero to %three carry(%start) captures(%x) : (tensor<i32>, tensor<i32>, tensor<5xi32>, tensor<2xi32>) -> tensor<5xi32> {
  ^bb0(%i: tensor<i32>, %s: tensor<5xi32>, %y: tensor<2xi32>):
    %from = kolam.constant dense<0> : tensor<i32>
    %to = kolam.constant dense<2> : tensor<i32>
    %1:2 = kolam.for from %from to %to carry(%s, %from) captures(%i, %y) : (tensor<i32>, tensor<i32>, tensor<5xi32>, tensor<i32>, tensor<i32>, tensor<2xi32>) -> (tensor<5xi32>, tensor<i32>) {
    ^bb0(%j: tensor<i32>, %t: tensor<5xi32>, %u: tensor<i32>, %k: tensor<i32>, %z: tensor<2xi32>):
      %b = kolam.broadcast %k [] : tensor<i32> -> tensor<2xi32>
      %2 = kolam.elementwise "add" %z, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      %3 = kolam.reduce "add" %2 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2xi32>) -> tensor<i32>
      %4 = kolam.elementwise "add" %u, %3 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %5 = kolam.broadcast %4 [] : tensor<i32> -> tensor<5xi32>
      kolam.yield %5, %4 : tensor<5xi32>, tensor<i32>
    }
    kolam.yield %1#0 : tensor<5xi32>
  }
  return %0 : tensor<5xi32>
}
