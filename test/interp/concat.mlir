// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.concat joins operands in their order; operands of extent 0 add nothing. By hand.

// CHECK: columns =
// CHECK-NEXT{LITERAL}: [[1 2 5 7 8 9]
// CHECK-NEXT{LITERAL}:  [3 4 6 1 2 3]]
// CHECK: rows =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [3 4]
// CHECK-NEXT{LITERAL}:  [1 2]
// CHECK-NEXT{LITERAL}:  [3 4]]
// CHECK: holes =
// CHECK-NEXT: [1 2 3]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x6xi32>, tensor<4x2xi32>, tensor<3xi8>, tensor<0xi8>) {
  %x = kolam.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = kolam.constant dense<[[5], [6]]> : tensor<2x1xi32>
  %z = kolam.constant dense<[[7, 8, 9], [1, 2, 3]]> : tensor<2x3xi32>
  %columns = kolam.concat %x, %y, %z dim 1 : (tensor<2x2xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<2x6xi32>
  %rows = kolam.concat %x, %x dim 0 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<4x2xi32>
  %a = kolam.constant dense<[1]> : tensor<1xi8>
  %b = kolam.constant dense<[2, 3]> : tensor<2xi8>
  %no = kolam.constant dense<> : tensor<0xi8>
  %holes = kolam.concat %no, %a, %no, %no, %b, %no dim 0 : (tensor<0xi8>, tensor<1xi8>, tensor<0xi8>, tensor<0xi8>, tensor<2xi8>, tensor<0xi8>) -> tensor<3xi8>
  %empty = kolam.concat %no, %no dim 0 : (tensor<0xi8>, tensor<0xi8>) -> tensor<0xi8>
  return %columns, %rows, %holes, %empty : tensor<2x6xi32>, tensor<4x2xi32>, tensor<3xi8>, tensor<0xi8>
}
