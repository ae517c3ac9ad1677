// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.reduce combines elements along dims; no elements give the identity. By hand.

// CHECK: rows =
// CHECK-NEXT: [ 6 15]
// CHECK: columns =
// CHECK-NEXT: [5 7 9]
// CHECK: all =
// CHECK-NEXT: 21
// CHECK: itself =
// CHECK-NEXT: [1 2]
// CHECK: pair =
// CHECK-NEXT: [1 4]
// CHECK: pair#1 =
// CHECK-NEXT: [2 2]
// CHECK: highest =
// CHECK-NEXT: [nan 0.]
// CHECK: negative_zero =
// CHECK-NEXT: -0.0
// CHECK: wrapped =
// CHECK-NEXT: 44
// CHECK: narrow =
// CHECK-NEXT: 2050.0
// CHECK: no_sum =
// CHECK-NEXT: [0. 0.]
// CHECK: no_highest =
// CHECK-NEXT: [-inf -inf]
// CHECK: no_lowest =
// CHECK-NEXT: 127
// CHECK: no_product =
// CHECK-NEXT: 1
// CHECK: no_truth =
// CHECK-NEXT: True
// CHECK: no_rows =
// CHECK-NEXT: []

func.func @main() -> (tensor<2xi32>, tensor<3xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<2xf32>, tensor<f32>, tensor<i8>, tensor<f16>, tensor<2xf32>, tensor<2xf32>, tensor<i8>, tensor<i8>, tensor<i1>, tensor<0xf32>) {
  %x = kolam.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rows = kolam.reduce "add" %x dims [1] commutative true <"chunk<64>"> : (tensor<2x3xi32>) -> tensor<2xi32>
  %columns = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xi32>) -> tensor<3xi32>
  %all = kolam.reduce "add" %x dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x3xi32>) -> tensor<i32>
  %y = kolam.constant dense<[1, 2]> : tensor<2xi32>
  %itself = kolam.reduce "multiply" %y dims [] commutative true <"chunk<64>"> : (tensor<2xi32>) -> tensor<2xi32>
  // two inputs, each on its own
  %z = kolam.constant dense<[[3, 2, 9], [2, 4, 8]]> : tensor<2x3xi8>
  %pair:2 = kolam.reduce "minimum" %x, %z dims [1] commutative true <"chunk<64>"> : (tensor<2x3xi32>, tensor<2x3xi8>) -> (tensor<2xi32>, tensor<2xi8>)
  %a = kolam.constant dense<[[1.0, 0x7FC00000, 2.0], [-0.0, 0.0, -1.0]]> : tensor<2x3xf32>
  %highest = kolam.reduce "maximum" %a dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x3xf32>) -> tensor<2xf32>
  // a sum begins with its first element, not with 0
  %b = kolam.constant dense<-0.0> : tensor<2xf32>
  %negative_zero = kolam.reduce "add" %b dims [0] commutative true <"chunk<64>"> : (tensor<2xf32>) -> tensor<f32>
  // 300 = 256 + 44
  %c = kolam.constant dense<100> : tensor<3xi8>
  %wrapped = kolam.reduce "add" %c dims [0] commutative true <"chunk<64>"> : (tensor<3xi8>) -> tensor<i8>
  // f16 has no 2049: the sum is in f32
  %d = kolam.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %narrow = kolam.reduce "add" %d dims [0] commutative true <"chunk<64>"> : (tensor<3xf16>) -> tensor<f16>
  %e = kolam.constant dense<> : tensor<2x0xf32>
  %no_sum = kolam.reduce "add" %e dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x0xf32>) -> tensor<2xf32>
  %no_highest = kolam.reduce "maximum" %e dims [1] commutative true <"chunk<64>"> : (tensor<2x0xf32>) -> tensor<2xf32>
  %f = kolam.constant dense<> : tensor<0xi8>
  %no_lowest = kolam.reduce "minimum" %f dims [0] commutative true <"chunk<64>"> : (tensor<0xi8>) -> tensor<i8>
  %no_product = kolam.reduce "multiply" %f dims [0] commutative true <"chunk<64>"> : (tensor<0xi8>) -> tensor<i8>
  %g = kolam.constant dense<> : tensor<0xi1>
  %no_truth = kolam.reduce "logical_and" %g dims [0] commutative true <"chunk<64>"> : (tensor<0xi1>) -> tensor<i1>
  %h = kolam.constant dense<> : tensor<0x3xf32>
  %no_rows = kolam.reduce "add" %h dims [1] commutative true <"chunk<64>"> : (tensor<0x3xf32>) -> tensor<0xf32>
  return %rows, %columns, %all, %itself, %pair#0, %pair#1, %highest, %negative_zero, %wrapped, %narrow, %no_sum, %no_highest, %no_lowest, %no_product, %no_truth, %no_rows : tensor<2xi32>, tensor<3xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<2xf32>, tensor<f32>, tensor<i8>, tensor<f16>, tensor<2xf32>, tensor<2xf32>, tensor<i8>, tensor<i8>, tensor<i1>, tensor<0xf32>
}
