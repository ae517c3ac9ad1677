// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.cast: floats to integers saturate and NaN gives 0, integers wrap, narrow floats are rounded once to nearest
// even. By hand from the formats. The operands are reversed literals: casts of literals are computed before lowering.

// CHECK: to_i8 =
// CHECK-NEXT: [ 0 2 -2 127 -128 127]
// CHECK: to_ui8 =
// CHECK-NEXT: [ 0 2 0 255 0 255]
// CHECK: wrapped =
// CHECK-NEXT: [ 44 255 128]
// CHECK: truth =
// CHECK-NEXT: [True True True True True True]
// CHECK: zeros =
// CHECK-NEXT: [False False True]
// CHECK: to_f16 =
// CHECK-NEXT: [ 2048. 2052. 65500. inf]
// CHECK: to_bf16 =
// CHECK-NEXT: [1. 1.016]
// CHECK: to_f32 =
// CHECK-NEXT: [16777216. 16777220.]
// CHECK: once =
// CHECK-NEXT: [1.001 1. ]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<6xi8>, tensor<6xui8>, tensor<3xui8>, tensor<6xi1>, tensor<3xi1>, tensor<4xf16>, tensor<2xbf16>, tensor<2xf32>, tensor<2xf16>, tensor<0xi8>) {
  // NaN, 2.9, -2.9, 300.7, -300, infinity
  %a = kolam.constant dense<[0x7F800000, -300.0, 300.7, -2.9, 2.9, 0x7FC00000]> : tensor<6xf32>
  %floats = kolam.reverse %a [0] : tensor<6xf32> -> tensor<6xf32>
  %to_i8 = kolam.cast %floats : tensor<6xf32> -> tensor<6xi8>
  %to_ui8 = kolam.cast %floats : tensor<6xf32> -> tensor<6xui8>
  // 300 = 256 + 44
  %b = kolam.constant dense<[-128, -1, 300]> : tensor<3xi32>
  %integers = kolam.reverse %b [0] : tensor<3xi32> -> tensor<3xi32>
  %wrapped = kolam.cast %integers : tensor<3xi32> -> tensor<3xui8>
  // to bool is x != 0: NaN is, -0 is not
  %truth = kolam.cast %floats : tensor<6xf32> -> tensor<6xi1>
  %c = kolam.constant dense<[1.0e-45, -0.0, 0.0]> : tensor<3xf32>
  %small = kolam.reverse %c [0] : tensor<3xf32> -> tensor<3xf32>
  %zeros = kolam.cast %small : tensor<3xf32> -> tensor<3xi1>
  // 2049 and 2051 lie in the middle of two f16; 65519 is rounded to 65504, which prints as 65500, 65520 to infinity
  %d = kolam.constant dense<[65520.0, 65519.0, 2051.0, 2049.0]> : tensor<4xf32>
  %halves = kolam.reverse %d [0] : tensor<4xf32> -> tensor<4xf32>
  %to_f16 = kolam.cast %halves : tensor<4xf32> -> tensor<4xf16>
  // 1 + 2^-8 and 1 + 3 2^-8 lie in the middle of two bf16: 1 and 1 + 2^-6
  %e = kolam.constant dense<[1.01171875, 1.00390625]> : tensor<2xf32>
  %brain = kolam.reverse %e [0] : tensor<2xf32> -> tensor<2xf32>
  %to_bf16 = kolam.cast %brain : tensor<2xf32> -> tensor<2xbf16>
  %f = kolam.constant dense<[16777219, 16777217]> : tensor<2xi64>
  %long = kolam.reverse %f [0] : tensor<2xi64> -> tensor<2xi64>
  %to_f32 = kolam.cast %long : tensor<2xi64> -> tensor<2xf32>
  // 1 + 2^-11 + 2^-40 rounds up to 1 + 2^-10; by way of f32 it would be 1 + 2^-11, whose even neighbour is 1
  %g = kolam.constant dense<[1.00048828125, 1.000488281250909494701772928]> : tensor<2xf64>
  %doubles = kolam.reverse %g [0] : tensor<2xf64> -> tensor<2xf64>
  %once = kolam.cast %doubles : tensor<2xf64> -> tensor<2xf16>
  %h = kolam.constant dense<> : tensor<0xf32>
  %nothing = kolam.reverse %h [0] : tensor<0xf32> -> tensor<0xf32>
  %empty = kolam.cast %nothing : tensor<0xf32> -> tensor<0xi8>
  return %to_i8, %to_ui8, %wrapped, %truth, %zeros, %to_f16, %to_bf16, %to_f32, %once, %empty : tensor<6xi8>, tensor<6xui8>, tensor<3xui8>, tensor<6xi1>, tensor<3xi1>, tensor<4xf16>, tensor<2xbf16>, tensor<2xf32>, tensor<2xf16>, tensor<0xi8>
}
