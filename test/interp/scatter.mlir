// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.scatter combines windows into a tensor, batch after batch: of places named twice the later comes later. By
// hand.

// CHECK: update =
// CHECK-NEXT: [0 6 0 7]
// CHECK: add =
// CHECK-NEXT: [ 0 11 0 7]
// CHECK: multiply =
// CHECK-NEXT: [ 1 30 1 7]
// CHECK: lesser =
// CHECK-NEXT: [ 0. nan -1.]
// CHECK: greater =
// CHECK-NEXT: [ 2. nan 1.]
// CHECK: order =
// CHECK-NEXT: [123 0]
// CHECK: drop =
// CHECK-NEXT: [0 3 4 0]
// CHECK: element =
// CHECK-NEXT: [2 3 4 5]
// CHECK: clip =
// CHECK-NEXT: [1 3 5 6]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[ 0 0]
// CHECK-NEXT{LITERAL}:  [10 20]]
// CHECK: batched =
// CHECK-NEXT{LITERAL}: [[0 5]
// CHECK-NEXT{LITERAL}:  [6 0]]
// CHECK: both =
// CHECK-NEXT: [1 0]
// CHECK: both#1 =
// CHECK-NEXT: [108 0]
// CHECK: nothing =
// CHECK-NEXT: [1 1 1 1]

func.func @main() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>) {
  %zeros = kolam.constant dense<0> : tensor<4xi32>
  %ones = kolam.constant dense<1> : tensor<4xi32>
  %i = kolam.constant dense<[[1], [1], [3]]> : tensor<3x1xi32>
  %u = kolam.constant dense<[[5], [6], [7]]> : tensor<3x1xi32>
  %update = kolam.scatter "kUpdate" "drop" (%zeros) updates(%u) at %i dims [0] batched 0 unique false : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<4xi32>
  %add = kolam.scatter "kAdd" "drop" (%zeros) updates(%u) at %i dims [0] batched 0 unique false : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<4xi32>
  %multiply = kolam.scatter "kMul" "drop" (%ones) updates(%u) at %i dims [0] batched 0 unique false : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<4xi32>
  // inserted only if smaller or larger: NaN never is, and nothing is beside it; -0 is not smaller than 0
  %f = kolam.constant dense<[0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %j = kolam.constant dense<[[0], [1], [2], [2], [0]]> : tensor<5x1xi64>
  %g = kolam.constant dense<[[-0.0], [5.0], [0x7FC00000], [-1.0], [2.0]]> : tensor<5x1xf32>
  %lesser = kolam.scatter "kMin" "drop" (%f) updates(%g) at %j dims [0] batched 0 unique false : (tensor<3xf32>, tensor<5x1xf32>, tensor<5x1xi64>) -> tensor<3xf32>
  %greater = kolam.scatter "kMax" "drop" (%f) updates(%g) at %j dims [0] batched 0 unique false : (tensor<3xf32>, tensor<5x1xf32>, tensor<5x1xi64>) -> tensor<3xf32>
  // 10 times the old element, and the update
  %two = kolam.constant dense<0> : tensor<2xi32>
  %same = kolam.constant dense<0> : tensor<3x1xi32>
  %digits = kolam.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %order = kolam.scatter "user" "drop" (%two) updates(%digits) at %same dims [0] batched 0 unique false : (tensor<2xi32>, tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<2xi32> {
  ^bb0(%s: tensor<i32>, %v: tensor<i32>):
    %ten = kolam.constant dense<10> : tensor<i32>
    %t = kolam.elementwise "multiply" %s, %ten : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r = kolam.elementwise "add" %t, %v : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %r : tensor<i32>
  }
  // windows of two elements at -1, 1 and 3 of four
  %k = kolam.constant dense<[[-1], [1], [3]]> : tensor<3x1xi32>
  %w = kolam.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %drop = kolam.scatter "kUpdate" "drop" (%zeros) updates(%w) at %k dims [0] batched 0 unique false : (tensor<4xi32>, tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<4xi32>
  %element = kolam.scatter "kUpdate" "element" (%zeros) updates(%w) at %k dims [0] batched 0 unique false : (tensor<4xi32>, tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<4xi32>
  %clip = kolam.scatter "kUpdate" "clip" (%zeros) updates(%w) at %k dims [0] batched 0 unique false : (tensor<4xi32>, tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<4xi32>
  %square = kolam.constant dense<0> : tensor<2x2xi32>
  %one = kolam.constant dense<1> : tensor<1xui8>
  %row = kolam.constant dense<[[10, 20]]> : tensor<1x2xi32>
  %rows = kolam.scatter "kAdd" "drop" (%square) updates(%row) at %one dims [0] batched 0 unique true : (tensor<2x2xi32>, tensor<1x2xi32>, tensor<1xui8>) -> tensor<2x2xi32>
  // every row has its own place
  %l = kolam.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %x = kolam.constant dense<[[5], [6]]> : tensor<2x1xi32>
  %batched = kolam.scatter "kAdd" "drop" (%square) updates(%x) at %l dims [0] batched 1 unique false : (tensor<2x2xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  // two destinations and a capture: a' = v, b' = a + w + 100
  %at = kolam.constant dense<[[0], [0]]> : tensor<2x1xi32>
  %v = kolam.constant dense<[[8], [1]]> : tensor<2x1xi32>
  %no_more = kolam.constant dense<0> : tensor<2x1xi32>
  %hundred = kolam.constant dense<100> : tensor<i32>
  %both:2 = kolam.scatter "user" "drop" (%two, %two) updates(%v, %no_more) at %at captures(%hundred) dims [0] batched 0 unique false : (tensor<2xi32>, tensor<2xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>) {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %h: tensor<i32>):
    %s = kolam.elementwise "add" %a, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = kolam.elementwise "add" %s, %h : (tensor<i32>, tensor<i32>) -> tensor<i32>
    kolam.yield %c, %t : tensor<i32>, tensor<i32>
  }
  %nowhere = kolam.constant dense<> : tensor<0x1xi32>
  %nothing = kolam.scatter "kAdd" "drop" (%ones) updates(%nowhere) at %nowhere dims [0] batched 0 unique false : (tensor<4xi32>, tensor<0x1xi32>, tensor<0x1xi32>) -> tensor<4xi32>
  return %update, %add, %multiply, %lesser, %greater, %order, %drop, %element, %clip, %rows, %batched, %both#0, %both#1, %nothing : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>
}
