// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.iota: the coordinate along one dim, wrapping where the dtype is too narrow. By hand.

// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[0 0 0]
// CHECK-NEXT{LITERAL}:  [1 1 1]]
// CHECK: columns =
// CHECK-NEXT{LITERAL}: [[0. 1. 2.]
// CHECK-NEXT{LITERAL}:  [0. 1. 2.]]
// CHECK: wrapped =
// CHECK-NEXT: [254 255 0 1]
// CHECK: signs =
// CHECK-NEXT: [ 127 -128]
// CHECK: rounded =
// CHECK-NEXT: [256. 256. 258.]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x3xi32>, tensor<2x3xf32>, tensor<4xui8>, tensor<2xi8>, tensor<3xbf16>, tensor<2x0xi32>) {
  %rows = kolam.iota 0 : tensor<2x3xi32>
  %columns = kolam.iota 1 : tensor<2x3xf32>
  %bytes = kolam.iota 0 : tensor<300xui8>
  %wrapped = kolam.slice %bytes <["254"]> [1] : tensor<300xui8> -> tensor<4xui8>
  %signed = kolam.iota 0 : tensor<300xi8>
  %signs = kolam.slice %signed <["127"]> [1] : tensor<300xi8> -> tensor<2xi8>
  // bf16 has no 257
  %brain = kolam.iota 0 : tensor<300xbf16>
  %rounded = kolam.slice %brain <["256"]> [1] : tensor<300xbf16> -> tensor<3xbf16>
  %none = kolam.iota 1 : tensor<2x0xi32>
  return %rows, %columns, %wrapped, %signs, %rounded, %none : tensor<2x3xi32>, tensor<2x3xf32>, tensor<4xui8>, tensor<2xi8>, tensor<3xbf16>, tensor<2x0xi32>
}
