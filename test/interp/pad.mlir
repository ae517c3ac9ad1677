// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.pad: what each mode puts around the elements, also where it puts more than there are. By hand.

// CHECK: constant =
// CHECK-NEXT: [9 9 1 2 3 9]
// CHECK: edge =
// CHECK-NEXT: [1 1 1 2 3 3]
// CHECK: reflect =
// CHECK-NEXT: [2 1 2 3 2 1 2 3 2 1 2 3 2 1]
// CHECK: wrap =
// CHECK-NEXT: [3 1 2 3 1 2 3 1 2 3 1]
// CHECK: single =
// CHECK-NEXT: [7 7 7 7]
// CHECK: corner =
// CHECK-NEXT{LITERAL}: [[-0. -0.]
// CHECK-NEXT{LITERAL}:  [ 1. -0.]]
// CHECK: nothing =
// CHECK-NEXT: [9 9]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<6xi32>, tensor<6xi32>, tensor<14xi32>, tensor<11xi32>, tensor<4xi32>, tensor<2x2xf32>, tensor<2xi32>, tensor<0x4xi32>) {
  %x = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %v = kolam.constant dense<9> : tensor<i32>
  %constant = kolam.pad %x, %v "constant" low [2] high [1] : tensor<3xi32>, tensor<i32> -> tensor<6xi32>
  %edge = kolam.pad %x, %v "edge" low [2] high [1] : tensor<3xi32>, tensor<i32> -> tensor<6xi32>
  %reflect = kolam.pad %x, %v "reflect" low [5] high [6] : tensor<3xi32>, tensor<i32> -> tensor<14xi32>
  %wrap = kolam.pad %x, %v "wrap" low [4] high [4] : tensor<3xi32>, tensor<i32> -> tensor<11xi32>
  // one element is its own mirror image
  %seven = kolam.constant dense<7> : tensor<1xi32>
  %single = kolam.pad %seven, %v "reflect" low [2] high [1] : tensor<1xi32>, tensor<i32> -> tensor<4xi32>
  %one = kolam.constant dense<1.0> : tensor<1x1xf32>
  %zero = kolam.constant dense<-0.0> : tensor<f32>
  %corner = kolam.pad %one, %zero "constant" low [1, 0] high [0, 1] : tensor<1x1xf32>, tensor<f32> -> tensor<2x2xf32>
  %no = kolam.constant dense<> : tensor<0xi32>
  %nothing = kolam.pad %no, %v "constant" low [1] high [1] : tensor<0xi32>, tensor<i32> -> tensor<2xi32>
  %flat = kolam.constant dense<> : tensor<0x2xi32>
  %empty = kolam.pad %flat, %v "wrap" low [0, 1] high [0, 1] : tensor<0x2xi32>, tensor<i32> -> tensor<0x4xi32>
  return %constant, %edge, %reflect, %wrap, %single, %corner, %nothing, %empty : tensor<6xi32>, tensor<6xi32>, tensor<14xi32>, tensor<11xi32>, tensor<4xi32>, tensor<2x2xf32>, tensor<2xi32>, tensor<0x4xi32>
}
