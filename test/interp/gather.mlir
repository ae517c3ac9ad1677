// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.gather: windows at places given by data, and what each mode makes of places outside. By hand.

// CHECK: clip =
// CHECK-NEXT{LITERAL}: [[10 20]
// CHECK-NEXT:  [20 30]
// CHECK-NEXT:  [30 40]
// CHECK-NEXT{LITERAL}:  [30 40]]
// CHECK: fill =
// CHECK-NEXT{LITERAL}: [[-2147483648 -2147483648]
// CHECK-NEXT:  [ 20 30]
// CHECK-NEXT:  [-2147483648 -2147483648]
// CHECK-NEXT{LITERAL}:  [-2147483648 -2147483648]]
// CHECK: wrap =
// CHECK-NEXT{LITERAL}: [[40 10]
// CHECK-NEXT:  [20 30]
// CHECK-NEXT:  [40 10]
// CHECK-NEXT{LITERAL}:  [20 30]]
// CHECK: promise =
// CHECK-NEXT{LITERAL}: [[30 40]
// CHECK-NEXT{LITERAL}:  [30 40]]
// CHECK: fill_float =
// CHECK-NEXT{LITERAL}: [[ 1.]
// CHECK-NEXT{LITERAL}:  [nan]]
// CHECK: fill_unsigned =
// CHECK-NEXT{LITERAL}: [[ 1]
// CHECK-NEXT{LITERAL}:  [255]]
// CHECK: fill_bool =
// CHECK-NEXT{LITERAL}: [[False]
// CHECK-NEXT{LITERAL}:  [ True]]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[[4 5 6]]
// CHECK{LITERAL}: [[1 2 3]]
// CHECK{LITERAL}: [[4 5 6]]]
// CHECK: cell =
// CHECK-NEXT{LITERAL}: [[6]]
// CHECK: batched =
// CHECK-NEXT{LITERAL}: [[3]
// CHECK-NEXT{LITERAL}:  [4]]
// CHECK: all =
// CHECK-NEXT{LITERAL}: [[10 20 30 40]
// CHECK-NEXT{LITERAL}:  [10 20 30 40]]
// CHECK: nowhere =
// CHECK-NEXT: []

func.func @main() -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<2x2xi32>, tensor<2x1xf32>, tensor<2x1xui8>, tensor<2x1xi1>, tensor<3x1x3xi32>, tensor<1x1xi32>, tensor<2x1xi32>, tensor<2x4xi32>, tensor<0x1xi32>) {
  %x = kolam.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %i = kolam.constant dense<[[-1], [1], [3], [9]]> : tensor<4x1xi32>
  %clip = kolam.gather %x, %i "clip" dims [0] lengths [2] batched 0 : (tensor<4xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %fill = kolam.gather %x, %i "fill" dims [0] lengths [2] batched 0 : (tensor<4xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %wrap = kolam.gather %x, %i "wrap" dims [0] lengths [2] batched 0 : (tensor<4xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  // the same place twice
  %twice = kolam.constant dense<2> : tensor<2x1xui8>
  %promise = kolam.gather %x, %twice "promise" dims [0] lengths [2] batched 0 : (tensor<4xi32>, tensor<2x1xui8>) -> tensor<2x2xi32>
  // inside, outside
  %j = kolam.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %f = kolam.constant dense<1.0> : tensor<1xf32>
  %fill_float = kolam.gather %f, %j "fill" dims [0] lengths [1] batched 0 : (tensor<1xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  %u = kolam.constant dense<1> : tensor<1xui8>
  %fill_unsigned = kolam.gather %u, %j "fill" dims [0] lengths [1] batched 0 : (tensor<1xui8>, tensor<2x1xi64>) -> tensor<2x1xui8>
  %b = kolam.constant dense<false> : tensor<1xi1>
  %fill_bool = kolam.gather %b, %j "fill" dims [0] lengths [1] batched 0 : (tensor<1xi1>, tensor<2x1xi64>) -> tensor<2x1xi1>
  %y = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %k = kolam.constant dense<[[1], [0], [1]]> : tensor<3x1xi32>
  %rows = kolam.gather %y, %k "clip" dims [0] lengths [1] batched 0 : (tensor<2x3xi32>, tensor<3x1xi32>) -> tensor<3x1x3xi32>
  // the first column of the indices goes along dim 1
  %l = kolam.constant dense<[2, 1]> : tensor<2xi32>
  %cell = kolam.gather %y, %l "clip" dims [1, 0] lengths [1, 1] batched 0 : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<1x1xi32>
  // every row has its own place
  %m = kolam.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %batched = kolam.gather %y, %m "clip" dims [0] lengths [1] batched 1 : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
  %no_columns = kolam.constant dense<> : tensor<2x0xi32>
  %all = kolam.gather %x, %no_columns "clip" dims [] lengths [] batched 0 : (tensor<4xi32>, tensor<2x0xi32>) -> tensor<2x4xi32>
  %no_places = kolam.constant dense<> : tensor<0x1xi32>
  %nowhere = kolam.gather %x, %no_places "fill" dims [0] lengths [1] batched 0 : (tensor<4xi32>, tensor<0x1xi32>) -> tensor<0x1xi32>
  return %clip, %fill, %wrap, %promise, %fill_float, %fill_unsigned, %fill_bool, %rows, %cell, %batched, %all, %nowhere : tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<2x2xi32>, tensor<2x1xf32>, tensor<2x1xui8>, tensor<2x1xi1>, tensor<3x1x3xi32>, tensor<1x1xi32>, tensor<2x1xi32>, tensor<2x4xi32>, tensor<0x1xi32>
}
