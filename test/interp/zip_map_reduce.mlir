// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.zip_map_reduce: a body over zipped elements and whole captures, then perhaps a reduction. By hand.

// CHECK: sums =
// CHECK-NEXT: [11 22 33]
// CHECK: sums#1 =
// CHECK-NEXT: [ -9 -18 -27]
// CHECK: looked_up =
// CHECK-NEXT: [30 10 30]
// CHECK: dots =
// CHECK-NEXT: [14 32]
// CHECK: all =
// CHECK-NEXT: 46
// CHECK: wide =
// CHECK-NEXT: 2050.0
// CHECK: largest =
// CHECK-NEXT: 9
// CHECK: largest#1 =
// CHECK-NEXT: 1
// CHECK: inner =
// CHECK-NEXT: [106 206]
// CHECK: no_cells =
// CHECK-NEXT: []
// CHECK: no_sum =
// CHECK-NEXT: 0

func.func @main() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<i32>, tensor<f16>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<0xi32>, tensor<i32>) {
  %x = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = kolam.constant dense<[10, 20, 30]> : tensor<3xi32>
  %sums:2 = kolam.zip_map_reduce (%x, %y) space <["3"]> dims [] commutative true <"chunk<64>"> : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = kolam.elementwise "add" %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %d = kolam.elementwise "subtract" %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %s, %d : tensor<i32>, tensor<i32>
  }
  // a table as a capture; 9 is clipped to its last element
  %i = kolam.constant dense<[2, 0, 9]> : tensor<3xi32>
  %looked_up = kolam.zip_map_reduce (%i) captures(%y) space <["3"]> dims [] commutative true <"chunk<64>"> : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32> {
  ^bb0(%a: tensor<i32>, %t: tensor<3xi32>):
    %w = kolam.dynamic_slice %t[%a] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %c = kolam.squeeze %w [0] : tensor<1xi32> -> tensor<i32>
    kolam.yield %c : tensor<i32>
  }
  // 1 + 4 + 9, 4 + 10 + 18
  %m = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %n = kolam.constant dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  %dots = kolam.zip_map_reduce (%m, %n) space <["2", "3"]> monoid "add" dims [1] commutative true <"chunk<64>"> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2xi32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = kolam.elementwise "multiply" %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %p : tensor<i32>
  }
  %all = kolam.zip_map_reduce (%m, %n) space <["2", "3"]> monoid "add" dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<i32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = kolam.elementwise "multiply" %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %p : tensor<i32>
  }
  // f16 has no 2049: the sum is in f32
  %h = kolam.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %wide = kolam.zip_map_reduce (%h) space <["3"]> monoid "add" dims [0] commutative true <"chunk<64>"> : (tensor<3xf16>) -> tensor<f16> {
  ^bb0(%a: tensor<f16>):
    kolam.yield %a : tensor<f16>
  }
  // the largest and its place; of equal ones the first
  %k = kolam.constant dense<[3, 9, 9]> : tensor<3xi32>
  %largest:2 = kolam.zip_map_reduce (%k) space <["3"]> monoid "largest" dims [0] commutative false <"chunk<64>"> : (tensor<3xi32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%a: tensor<i32>):
    %place = kolam.iter_index 0 : tensor<i32>
    kolam.yield %a, %place : tensor<i32>, tensor<i32>
  } zero {
    %z = kolam.constant dense<-1> : tensor<i32>
    kolam.yield %z, %z : tensor<i32>, tensor<i32>
  } wrap {
  ^bb0(%a: tensor<i32>, %p: tensor<i32>):
    kolam.yield %a, %p : tensor<i32>, tensor<i32>
  } merge {
  ^bb0(%a: tensor<i32>, %p: tensor<i32>, %b: tensor<i32>, %q: tensor<i32>):
    %first = kolam.elementwise "greater_equal" %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = kolam.elementwise "where" %first, %a, %b : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %r = kolam.elementwise "where" %first, %p, %q : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %c, %r : tensor<i32>, tensor<i32>
  } unwrap {
  ^bb0(%a: tensor<i32>, %p: tensor<i32>):
    kolam.yield %a, %p : tensor<i32>, tensor<i32>
  }
  // a reduction of the capture in every element: 100 + 6, 200 + 6
  %hundreds = kolam.constant dense<[100, 200]> : tensor<2xi32>
  %inner = kolam.zip_map_reduce (%hundreds) captures(%x) space <["2"]> dims [] commutative true <"chunk<64>"> : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32> {
  ^bb0(%a: tensor<i32>, %c: tensor<3xi32>):
    %s = kolam.reduce "add" %c dims [0] commutative true <"chunk<64>"> : (tensor<3xi32>) -> tensor<i32>
    %r = kolam.elementwise "add" %a, %s : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %r : tensor<i32>
  }
  %no = kolam.constant dense<> : tensor<0xi32>
  %no_cells = kolam.zip_map_reduce (%no) space <["0"]> dims [] commutative true <"chunk<64>"> : (tensor<0xi32>) -> tensor<0xi32> {
  ^bb0(%a: tensor<i32>):
    kolam.yield %a : tensor<i32>
  }
  %no_sum = kolam.zip_map_reduce (%no) space <["0"]> monoid "add" dims [0] commutative true <"chunk<64>"> : (tensor<0xi32>) -> tensor<i32> {
  ^bb0(%a: tensor<i32>):
    kolam.yield %a : tensor<i32>
  }
  return %sums#0, %sums#1, %looked_up, %dots, %all, %wide, %largest#0, %largest#1, %inner, %no_cells, %no_sum : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<i32>, tensor<f16>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<0xi32>, tensor<i32>
}
