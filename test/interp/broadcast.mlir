// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.broadcast repeats along new dims and along dims of extent 1. By hand.

// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[1 2 3]
// CHECK-NEXT{LITERAL}:  [1 2 3]]
// CHECK: columns =
// CHECK-NEXT{LITERAL}: [[4 4 4]
// CHECK-NEXT{LITERAL}:  [5 5 5]]
// CHECK: around =
// CHECK-NEXT{LITERAL}: [[[4]
// CHECK-NEXT{LITERAL}:   [5]]
// CHECK{LITERAL}:  [[4]
// CHECK-NEXT{LITERAL}:   [5]]]
// CHECK: scalar =
// CHECK-NEXT: [-0. -0.]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2x1xi32>, tensor<2xf32>, tensor<0x3xi32>) {
  %x = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %rows = kolam.broadcast %x [1] : tensor<3xi32> -> tensor<2x3xi32>
  %y = kolam.constant dense<[[4], [5]]> : tensor<2x1xi32>
  %columns = kolam.broadcast %y [0, 1] : tensor<2x1xi32> -> tensor<2x3xi32>
  %around = kolam.broadcast %y [1, 2] : tensor<2x1xi32> -> tensor<2x2x1xi32>
  %z = kolam.constant dense<-0.0> : tensor<f32>
  %scalar = kolam.broadcast %z [] : tensor<f32> -> tensor<2xf32>
  // extent 1 repeated no times
  %one = kolam.constant dense<[[7, 8, 9]]> : tensor<1x3xi32>
  %none = kolam.broadcast %one [0, 1] : tensor<1x3xi32> -> tensor<0x3xi32>
  return %rows, %columns, %around, %scalar, %none : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2x1xi32>, tensor<2xf32>, tensor<0x3xi32>
}
