// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.cumulative: running sums and the like along a dim, from either end, with or without the element itself. By hand.

// CHECK: sums =
// CHECK-NEXT: [ 1 3 6 10]
// CHECK: reversed =
// CHECK-NEXT: [10 9 7 4]
// CHECK: exclusive =
// CHECK-NEXT: [0 1 3 6]
// CHECK: both =
// CHECK-NEXT: [9 7 4 0]
// CHECK: down =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [3 8]]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[17 19 21 23 25]
// CHECK-NEXT{LITERAL}:  [11 12 13 14 15]
// CHECK-NEXT{LITERAL}:  [ 0 0 0 0 0]]
// CHECK: wrapped =
// CHECK-NEXT: [100 -56 44]
// CHECK: highest =
// CHECK-NEXT: [ 1. nan nan]
// CHECK: lowest =
// CHECK-NEXT: [inf 3. 1.]
// CHECK: any =
// CHECK-NEXT: [False True True]
// CHECK: narrow =
// CHECK-NEXT: [2048. 2048. 2050.]
// CHECK: one =
// CHECK-NEXT: [-0.]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2x2xi32>, tensor<3x5xi32>, tensor<3xi8>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf16>, tensor<1xf32>, tensor<2x0xf32>) {
  %x = kolam.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %sums = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<4xi32> -> tensor<4xi32>
  %reversed = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = true} : tensor<4xi32> -> tensor<4xi32>
  %exclusive = kolam.cumulative "add" %x dim 0 {exclusive = true, reverse = false} : tensor<4xi32> -> tensor<4xi32>
  %both = kolam.cumulative "add" %x dim 0 {exclusive = true, reverse = true} : tensor<4xi32> -> tensor<4xi32>
  %y = kolam.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %down = kolam.cumulative "multiply" %y dim 0 {exclusive = false, reverse = false} : tensor<2x2xi32> -> tensor<2x2xi32>
  %w = kolam.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi32>
  %rows = kolam.cumulative "add" %w dim 0 {exclusive = true, reverse = true} : tensor<3x5xi32> -> tensor<3x5xi32>
  %bytes = kolam.constant dense<100> : tensor<3xi8>
  %wrapped = kolam.cumulative "add" %bytes dim 0 {exclusive = false, reverse = false} : tensor<3xi8> -> tensor<3xi8>
  %a = kolam.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %highest = kolam.cumulative "maximum" %a dim 0 {exclusive = false, reverse = false} : tensor<3xf32> -> tensor<3xf32>
  %b = kolam.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %lowest = kolam.cumulative "minimum" %b dim 0 {exclusive = true, reverse = false} : tensor<3xf32> -> tensor<3xf32>
  %c = kolam.constant dense<[false, true, false]> : tensor<3xi1>
  %any = kolam.cumulative "logical_or" %c dim 0 {exclusive = false, reverse = false} : tensor<3xi1> -> tensor<3xi1>
  // carried in f32: 2048, 2049, 2050, and f16 has no 2049
  %d = kolam.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %narrow = kolam.cumulative "add" %d dim 0 {exclusive = false, reverse = false} : tensor<3xf16> -> tensor<3xf16>
  // the first element is itself, not 0 plus itself
  %e = kolam.constant dense<-0.0> : tensor<1xf32>
  %one = kolam.cumulative "add" %e dim 0 {exclusive = false, reverse = false} : tensor<1xf32> -> tensor<1xf32>
  %f = kolam.constant dense<> : tensor<2x0xf32>
  %none = kolam.cumulative "add" %f dim 1 {exclusive = false, reverse = true} : tensor<2x0xf32> -> tensor<2x0xf32>
  return %sums, %reversed, %exclusive, %both, %down, %rows, %wrapped, %highest, %lowest, %any, %narrow, %one, %none : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2x2xi32>, tensor<3x5xi32>, tensor<3xi8>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf16>, tensor<1xf32>, tensor<2x0xf32>
}
