// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// Sums of products: in which order they are added, and what bf16 does differently. In f32 1e8 + 1 = 1e8, and
// 2^24 + 1 = 2^24. By hand.

// CHECK: chain =
// CHECK-NEXT: 1.0
// CHECK: chunks =
// CHECK-NEXT: 0.0
// CHECK: lanes =
// CHECK-NEXT: 2.0
// CHECK: rows =
// CHECK-NEXT: 1.0
// CHECK: columns =
// CHECK-NEXT: 2.0
// CHECK: pairs =
// CHECK-NEXT: 1.0
// CHECK: odd =
// CHECK-NEXT: 6.0
// CHECK: flushed =
// CHECK-NEXT: [0. 0.]
// CHECK: kept =
// CHECK-NEXT: 0.001953

func.func @main() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<bf16>, tensor<2xf32>, tensor<f16>) {
  %x = kolam.constant dense<[1.0e+08, 1.0, -1.0e+08, 1.0]> : tensor<4xf32>
  %one = kolam.constant dense<1.0> : tensor<4xf32>
  // left to right; two chunks of two; lane 0 has 1e8 and -1e8, lane 1 has 1 and 1
  %chain = kolam.contract "i,i->" %x, %one <"chain<8192>"> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %chunks = kolam.contract "i,i->" %x, %one <"chain<2>"> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %lanes = kolam.contract "i,i->" %x, %one <"lanes<2>, chunk<4>"> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // the first operand's dims give the order: along the rows of %y, or along its columns
  %y = kolam.constant dense<[[1.0e+08, 1.0], [-1.0e+08, 1.0]]> : tensor<2x2xf32>
  %ones = kolam.constant dense<1.0> : tensor<2x2xf32>
  %rows = kolam.contract "ij,ij->" %ones, %y <"chain<8192>"> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<f32>
  %columns = kolam.contract "ji,ij->" %ones, %y <"chain<8192>"> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<f32>
  // bf16 adds elements 1, 0, 3, 2; from left to right the sum would be 0
  %a = kolam.constant dense<[1.0, 16777216.0, 1.0, -16777216.0]> : tensor<4xbf16>
  %b = kolam.constant dense<1.0> : tensor<4xbf16>
  %pairs = kolam.contract "i,i->" %a, %b <"chain<8192>"> : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<f32>
  %c = kolam.constant dense<[1.0, 2.0, 3.0]> : tensor<3xbf16>
  %d = kolam.constant dense<1.0> : tensor<3xbf16>
  %odd = kolam.contract "i,i->" %c, %d <"chain<8192>"> : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
  // of bf16, denormal factors (2^-130 2^120) and denormal sums (2^-100 2^-30) are 0; f16 keeps 2^-24 2^15
  %e = kolam.constant dense<[0x0008, 0x0D80]> : tensor<2xbf16>
  %f = kolam.constant dense<[0x7B80, 0x3080]> : tensor<2xbf16>
  %flushed = kolam.contract "i,i->i" %e, %f <"chain<8192>"> : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xf32>
  %g = kolam.constant dense<5.9604644775390625e-08> : tensor<1xf16>
  %h = kolam.constant dense<32768.0> : tensor<1xf16>
  %kept = kolam.contract "i,i->" %g, %h <"chain<8192>"> : (tensor<1xf16>, tensor<1xf16>) -> tensor<f16>
  return %chain, %chunks, %lanes, %rows, %columns, %pairs, %odd, %flushed, %kept : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<bf16>, tensor<2xf32>, tensor<f16>
}
