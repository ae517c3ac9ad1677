// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.expand_dims inserts dims of extent 1 and keeps the elements.

// CHECK: middle =
// CHECK-NEXT{LITERAL}: [[[1 2]]
// CHECK{LITERAL}: [[3 4]]]
// CHECK: ends =
// CHECK-NEXT{LITERAL}: [[[1]
// CHECK-NEXT:   [2]
// CHECK-NEXT{LITERAL}:   [3]]]
// CHECK: scalar =
// CHECK-NEXT: [-0.]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x1x2xi32>, tensor<1x3x1xi32>, tensor<1xf32>, tensor<1x0xi32>) {
  %x = kolam.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %middle = kolam.expand_dims %x [1] : tensor<2x2xi32> -> tensor<2x1x2xi32>
  %y = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %ends = kolam.expand_dims %y [0, 2] : tensor<3xi32> -> tensor<1x3x1xi32>
  %z = kolam.constant dense<-0.0> : tensor<f32>
  %scalar = kolam.expand_dims %z [0] : tensor<f32> -> tensor<1xf32>
  %no = kolam.constant dense<> : tensor<0xi32>
  %empty = kolam.expand_dims %no [0] : tensor<0xi32> -> tensor<1x0xi32>
  return %middle, %ends, %scalar, %empty : tensor<2x1x2xi32>, tensor<1x3x1xi32>, tensor<1xf32>, tensor<1x0xi32>
}
