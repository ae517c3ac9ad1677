// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.together gives its operands, of whatever dtypes; all have one shape.

// CHECK: numbers =
// CHECK-NEXT: [1 2 3]
// CHECK: roots =
// CHECK-NEXT: [1.  1.5 2. ]
// CHECK: whether =
// CHECK-NEXT: [ True False  True]

func.func @main() -> (tensor<3xi32>, tensor<3xf32>, tensor<3xi1>) {
  %x = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = kolam.constant dense<[1.0, 2.25, 4.0]> : tensor<3xf32>
  %z = kolam.constant dense<[true, false, true]> : tensor<3xi1>
  %root = kolam.elementwise "sqrt" %y : (tensor<3xf32>) -> tensor<3xf32>
  %numbers, %roots, %whether = kolam.together %x, %root, %z : (tensor<3xi32>, tensor<3xf32>, tensor<3xi1>) -> (tensor<3xi32>, tensor<3xf32>, tensor<3xi1>)
  return %numbers, %roots, %whether : tensor<3xi32>, tensor<3xf32>, tensor<3xi1>
}
