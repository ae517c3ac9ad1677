// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.squeeze removes dims of extent 1 and keeps the elements.

// CHECK: ends =
// CHECK-NEXT: [1 2 3]
// CHECK: middle =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [3 4]]
// CHECK: some =
// CHECK-NEXT{LITERAL}: [[5]]
// CHECK: scalar =
// CHECK-NEXT: -0.0
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<3xi32>, tensor<2x2xi32>, tensor<1x1xi32>, tensor<f32>, tensor<0xi32>) {
  %x = kolam.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %ends = kolam.squeeze %x [0, 2] : tensor<1x3x1xi32> -> tensor<3xi32>
  %y = kolam.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>
  %middle = kolam.squeeze %y [1] : tensor<2x1x2xi32> -> tensor<2x2xi32>
  %z = kolam.constant dense<5> : tensor<1x1x1xi32>
  %some = kolam.squeeze %z [1] : tensor<1x1x1xi32> -> tensor<1x1xi32>
  %w = kolam.constant dense<-0.0> : tensor<1x1xf32>
  %scalar = kolam.squeeze %w [0, 1] : tensor<1x1xf32> -> tensor<f32>
  %no = kolam.constant dense<> : tensor<1x0xi32>
  %empty = kolam.squeeze %no [0] : tensor<1x0xi32> -> tensor<0xi32>
  return %ends, %middle, %some, %scalar, %empty : tensor<3xi32>, tensor<2x2xi32>, tensor<1x1xi32>, tensor<f32>, tensor<0xi32>
}
