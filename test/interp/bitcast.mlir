// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.bitcast keeps bits, except that every NaN of a float is made the positive quiet one. Bit patterns by hand.

// CHECK: from_f32 =
// CHECK-NEXT: [1065353216 2147483648 2143289344 2139095040]
// CHECK: from_bf16 =
// CHECK-NEXT: [32704 32768]
// CHECK: from_f64 =
// CHECK-NEXT: [-9223372036854775808 4607182418800017408 9221120237041090560]
// CHECK: to_f32 =
// CHECK-NEXT: [ 0. -0. 1.5 nan]
// CHECK: to_unsigned =
// CHECK-NEXT: [255 128 127]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<4xui32>, tensor<2xui16>, tensor<3xi64>, tensor<4xf32>, tensor<3xui8>, tensor<0xi32>) {
  // 1, -0, a negative NaN with a payload, infinity
  %singles = kolam.constant dense<[1.0, -0.0, 0xFFC00001, 0x7F800000]> : tensor<4xf32>
  %from_f32 = kolam.bitcast %singles : tensor<4xf32> -> tensor<4xui32>
  %narrow = kolam.constant dense<[0xFFFF, -0.0]> : tensor<2xbf16>
  %from_bf16 = kolam.bitcast %narrow : tensor<2xbf16> -> tensor<2xui16>
  // the last is a signalling NaN
  %doubles = kolam.constant dense<[-0.0, 1.0, 0x7FF0000000000001]> : tensor<3xf64>
  %from_f64 = kolam.bitcast %doubles : tensor<3xf64> -> tensor<3xi64>
  %words = kolam.constant dense<[0, -2147483648, 1069547520, 2139095041]> : tensor<4xi32>
  %to_f32 = kolam.bitcast %words : tensor<4xi32> -> tensor<4xf32>
  %bytes = kolam.constant dense<[-1, -128, 127]> : tensor<3xi8>
  %to_unsigned = kolam.bitcast %bytes : tensor<3xi8> -> tensor<3xui8>
  %nothing = kolam.constant dense<> : tensor<0xf32>
  %empty = kolam.bitcast %nothing : tensor<0xf32> -> tensor<0xi32>
  return %from_f32, %from_bf16, %from_f64, %to_f32, %to_unsigned, %empty : tensor<4xui32>, tensor<2xui16>, tensor<3xi64>, tensor<4xf32>, tensor<3xui8>, tensor<0xi32>
}
