// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.reverse turns dims around: what a step of -1 does. By hand.

// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[4 5 6]
// CHECK-NEXT{LITERAL}:  [1 2 3]]
// CHECK: both =
// CHECK-NEXT{LITERAL}: [[6 5 4]
// CHECK-NEXT{LITERAL}:  [3 2 1]]
// CHECK: neither =
// CHECK-NEXT{LITERAL}: [[1 2 3]
// CHECK-NEXT{LITERAL}:  [4 5 6]]
// CHECK: every_other =
// CHECK-NEXT: [5 3 1]
// CHECK: one =
// CHECK-NEXT: [-0.]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<3xi32>, tensor<1xf32>, tensor<0xf32>) {
  %x = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rows = kolam.reverse %x [0] : tensor<2x3xi32> -> tensor<2x3xi32>
  %both = kolam.reverse %x [0, 1] : tensor<2x3xi32> -> tensor<2x3xi32>
  %neither = kolam.reverse %x [] : tensor<2x3xi32> -> tensor<2x3xi32>
  // x[4::-2]
  %y = kolam.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %turned = kolam.reverse %y [0] : tensor<6xi32> -> tensor<6xi32>
  %every_other = kolam.slice %turned <["1"]> [2] : tensor<6xi32> -> tensor<3xi32>
  %z = kolam.constant dense<-0.0> : tensor<1xf32>
  %one = kolam.reverse %z [0] : tensor<1xf32> -> tensor<1xf32>
  %no = kolam.constant dense<> : tensor<0xf32>
  %none = kolam.reverse %no [0] : tensor<0xf32> -> tensor<0xf32>
  return %rows, %both, %neither, %every_other, %one, %none : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<3xi32>, tensor<1xf32>, tensor<0xf32>
}
