// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.convolution slides the filter over the input; elements outside are 0. With the filter 1, 10, 100 the digits of a
// result tell which elements were read. By hand.

// CHECK: plain =
// CHECK-NEXT{LITERAL}: [[[321]
// CHECK-NEXT:   [432]
// CHECK-NEXT{LITERAL}:   [543]]]
// CHECK: strided =
// CHECK-NEXT{LITERAL}: [[[210]
// CHECK-NEXT:   [432]
// CHECK-NEXT{LITERAL}:   [ 54]]]
// CHECK: dilated =
// CHECK-NEXT{LITERAL}: [[[531]]]
// CHECK: cropped =
// CHECK-NEXT{LITERAL}: [[[432]
// CHECK-NEXT{LITERAL}:   [543]]]
// CHECK: channels =
// CHECK-NEXT{LITERAL}: [[[4321]]]
// CHECK: groups =
// CHECK-NEXT{LITERAL}: [[[ 7 100]]]
// CHECK: flat =
// CHECK-NEXT: [21 43]
// CHECK: too_short =
// CHECK-NEXT: []
// CHECK: no_filter =
// CHECK-NEXT{LITERAL}: [[[0]
// CHECK-NEXT{LITERAL}:   [0]]]
// CHECK: floats =
// CHECK-NEXT{LITERAL}: [[[inf]
// CHECK-NEXT{LITERAL}:   [nan]]]

func.func @main() -> (tensor<1x3x1xi32>, tensor<1x3x1xi32>, tensor<1x1x1xi32>, tensor<1x2x1xi32>, tensor<1x1x1xi32>, tensor<1x1x2xi32>, tensor<2xi32>, tensor<1x0x1xi32>, tensor<1x2x1xi32>, tensor<1x2x1xf32>) {
  %x = kolam.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %w = kolam.constant dense<[[[1]], [[10]], [[100]]]> : tensor<3x1x1xi32>
  %plain = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x5x1xi32>, tensor<3x1x1xi32>) -> tensor<1x3x1xi32>
  // over 0, 1, 2, 3, 4, 5, 0
  %strided = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 1>, low = array<i64: 1>, strides = array<i64: 2>} : (tensor<1x5x1xi32>, tensor<3x1x1xi32>) -> tensor<1x3x1xi32>
  %dilated = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 2>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x5x1xi32>, tensor<3x1x1xi32>) -> tensor<1x1x1xi32>
  // a negative width leaves out the first element
  %cropped = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: -1>, strides = array<i64: 1>} : (tensor<1x5x1xi32>, tensor<3x1x1xi32>) -> tensor<1x2x1xi32>
  %y = kolam.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi32>
  %v = kolam.constant dense<[[[1], [10]], [[100], [1000]]]> : tensor<2x2x1xi32>
  %channels = kolam.convolution %y, %v <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x2xi32>, tensor<2x2x1xi32>) -> tensor<1x1x1xi32>
  // output 0 sees channel 0: 1 * 1 + 3 * 2; output 1 sees channel 1: 2 * 10 + 4 * 20
  %u = kolam.constant dense<[[[1, 10]], [[2, 20]]]> : tensor<2x1x2xi32>
  %groups = kolam.convolution %y, %u <"chain<8192>"> {dilation = array<i64: 1>, groups = 2 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x2xi32>, tensor<2x1x2xi32>) -> tensor<1x1x2xi32>
  // two dims: the filter 1, 10 lies along the second
  %square = kolam.constant dense<[[[[1], [2]], [[3], [4]]]]> : tensor<1x2x2x1xi32>
  %row = kolam.constant dense<[[[[1]], [[10]]]]> : tensor<1x2x1x1xi32>
  %sums = kolam.convolution %square, %row <"chain<8192>"> {dilation = array<i64: 1, 1>, groups = 1 : i64, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x2x1xi32>, tensor<1x2x1x1xi32>) -> tensor<1x2x1x1xi32>
  %flat = kolam.reshape %sums : tensor<1x2x1x1xi32> -> tensor<2xi32>
  %short = kolam.constant dense<[[[1], [2]]]> : tensor<1x2x1xi32>
  %too_short = kolam.convolution %short, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x1xi32>, tensor<3x1x1xi32>) -> tensor<1x0x1xi32>
  // no channels: sums of nothing
  %none = kolam.constant dense<> : tensor<1x2x0xi32>
  %thin = kolam.constant dense<> : tensor<1x0x1xi32>
  %no_filter = kolam.convolution %none, %thin <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x0xi32>, tensor<1x0x1xi32>) -> tensor<1x2x1xi32>
  // over 0, 0.5, 0: padding is multiplied too, and 0 times infinity is NaN
  %half = kolam.constant dense<0.5> : tensor<1x1x1xf32>
  %weights = kolam.constant dense<[[[1.0]], [[0x7F800000]]]> : tensor<2x1x1xf32>
  %floats = kolam.convolution %half, %weights <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 1>, low = array<i64: 1>, strides = array<i64: 1>} : (tensor<1x1x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  return %plain, %strided, %dilated, %cropped, %channels, %groups, %flat, %too_short, %no_filter, %floats : tensor<1x3x1xi32>, tensor<1x3x1xi32>, tensor<1x1x1xi32>, tensor<1x2x1xi32>, tensor<1x1x1xi32>, tensor<1x1x2xi32>, tensor<2xi32>, tensor<1x0x1xi32>, tensor<1x2x1xi32>, tensor<1x2x1xf32>
}
