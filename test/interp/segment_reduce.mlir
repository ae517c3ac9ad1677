// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.segment_reduce: each segment as kolam.reduce combines it; an empty one gives what no elements give. By hand.

// CHECK: sums =
// CHECK-NEXT: [ 0. 6. 0. 4. 11.]
// CHECK: highest =
// CHECK-NEXT: [-inf 3. -inf nan 6.]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[ 0 0]
// CHECK-NEXT{LITERAL}:  [ 9 12]
// CHECK-NEXT{LITERAL}:  [ 0 0]
// CHECK-NEXT{LITERAL}:  [ 7 8]
// CHECK-NEXT{LITERAL}:  [20 22]]
// CHECK: last =
// CHECK-NEXT: [-1 3 -1 4 6]
// CHECK: none =
// CHECK-NEXT: [1. 1.]

func.func @main() -> (tensor<5xf32>, tensor<5xf32>, tensor<5x2xi32>, tensor<5xi32>, tensor<2xf32>) {
  %offsets = kolam.constant dense<[0, 0, 3, 3, 4, 6]> : tensor<6xi64>
  %x = kolam.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %sums = kolam.segment_reduce "add" of %offsets over %x commutative true <"lanes<64>, chunk<4096>"> : (tensor<6xi64>, tensor<6xf32>) -> tensor<5xf32>
  %y = kolam.constant dense<[1.0, 2.0, 3.0, 0x7FC00000, 5.0, 6.0]> : tensor<6xf32>
  %highest = kolam.segment_reduce "maximum" of %offsets over %y commutative true <"lanes<64>, chunk<4096>"> : (tensor<6xi64>, tensor<6xf32>) -> tensor<5xf32>
  %z = kolam.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]> : tensor<6x2xi32>
  %rows = kolam.segment_reduce "add" of %offsets over %z commutative true <"chunk<64>"> : (tensor<6xi64>, tensor<6x2xi32>) -> tensor<5x2xi32>
  %w = kolam.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %last = kolam.segment_reduce "last" of %offsets over %w commutative false <"chunk<64>"> : (tensor<6xi64>, tensor<6xi32>) -> tensor<5xi32> zero {
    %none = kolam.constant dense<-1> : tensor<i32>
    kolam.yield %none : tensor<i32>
  } wrap {
  ^bb0(%a: tensor<i32>):
    kolam.yield %a : tensor<i32>
  } merge {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    kolam.yield %b : tensor<i32>
  } unwrap {
  ^bb0(%a: tensor<i32>):
    kolam.yield %a : tensor<i32>
  }
  %nothing = kolam.constant dense<> : tensor<0xf32>
  %empty = kolam.constant dense<0> : tensor<3xi64>
  %none = kolam.segment_reduce "multiply" of %empty over %nothing commutative true <"lanes<64>, chunk<4096>"> : (tensor<3xi64>, tensor<0xf32>) -> tensor<2xf32>
  return %sums, %highest, %rows, %last, %none : tensor<5xf32>, tensor<5xf32>, tensor<5x2xi32>, tensor<5xi32>, tensor<2xf32>
}
