// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.iter_index: the coordinate of the point that a zip_map_reduce body is at, over reduced dims too. By hand.

// CHECK: places =
// CHECK-NEXT{LITERAL}: [[ 0 1 2]
// CHECK-NEXT{LITERAL}:  [10 11 12]]
// CHECK: sums =
// CHECK-NEXT: [ 3 33]
// CHECK: inner =
// CHECK-NEXT: [0 1 3]
// CHECK: wrapped =
// CHECK-NEXT: [255 0]

func.func @main() -> (tensor<2x3xi64>, tensor<2xi64>, tensor<3xi64>, tensor<2xui8>) {
  // 10 i + j
  %places = kolam.zip_map_reduce () space <["2", "3"]> dims [] commutative true <"chunk<64>"> : () -> tensor<2x3xi64> {
    %i = kolam.iter_index 0 : tensor<i64>
    %j = kolam.iter_index 1 : tensor<i64>
    %ten = kolam.constant dense<10> : tensor<i64>
    %k = kolam.elementwise "multiply" %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = kolam.elementwise "add" %k, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %r : tensor<i64>
  }
  %sums = kolam.zip_map_reduce () space <["2", "3"]> monoid "add" dims [1] commutative true <"chunk<64>"> : () -> tensor<2xi64> {
    %i = kolam.iter_index 0 : tensor<i64>
    %j = kolam.iter_index 1 : tensor<i64>
    %ten = kolam.constant dense<10> : tensor<i64>
    %k = kolam.elementwise "multiply" %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = kolam.elementwise "add" %k, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %r : tensor<i64>
  }
  // inside of another body: sum of j <= i; afterwards the outer point is in force again
  %inner = kolam.zip_map_reduce () space <["3"]> dims [] commutative true <"chunk<64>"> : () -> tensor<3xi64> {
    %before = kolam.iter_index 0 : tensor<i64>
    %sum = kolam.zip_map_reduce () captures(%before) space <["3"]> monoid "add" dims [0] commutative true <"chunk<64>"> : (tensor<i64>) -> tensor<i64> {
    ^bb0(%i: tensor<i64>):
      %j = kolam.iter_index 0 : tensor<i64>
      %zero = kolam.constant dense<0> : tensor<i64>
      %inside = kolam.elementwise "less_equal" %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %r = kolam.elementwise "where" %inside, %j, %zero : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      kolam.yield %r : tensor<i64>
    }
    %after = kolam.iter_index 0 : tensor<i64>
    %off = kolam.elementwise "subtract" %after, %before : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = kolam.elementwise "add" %sum, %off : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %r : tensor<i64>
  }
  %bytes = kolam.zip_map_reduce () space <["300"]> dims [] commutative true <"chunk<64>"> : () -> tensor<300xui8> {
    %i = kolam.iter_index 0 : tensor<ui8>
    kolam.yield %i : tensor<ui8>
  }
  %wrapped = kolam.slice %bytes <["255"]> [1] : tensor<300xui8> -> tensor<2xui8>
  return %places, %sums, %inner, %wrapped : tensor<2x3xi64>, tensor<2xi64>, tensor<3xi64>, tensor<2xui8>
}
