// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.compress: what a mask keeps, in order; zeros behind it, and what has no room left out. By hand.

// CHECK: kept =
// CHECK-NEXT: [2. 3. 6.]
// CHECK: longer =
// CHECK-NEXT: [1 2 5 0 0]
// CHECK: shorter =
// CHECK-NEXT: [2. 3.]
// CHECK: marks =
// CHECK-NEXT: [False True True]
// CHECK: none =
// CHECK-NEXT: [0.]

func.func @main() -> (tensor<3xf32>, tensor<5xi64>, tensor<2xf32>, tensor<3xi1>, tensor<1xf32>) {
  %mask = kolam.constant dense<[false, true, true, false, false, true]> : tensor<6xi1>
  %x = kolam.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %kept = kolam.compress %mask, %x : (tensor<6xi1>, tensor<6xf32>) -> tensor<3xf32>
  %places = kolam.iota 0 : tensor<6xi64>
  %longer = kolam.compress %mask, %places : (tensor<6xi1>, tensor<6xi64>) -> tensor<5xi64>
  %shorter = kolam.compress %mask, %x : (tensor<6xi1>, tensor<6xf32>) -> tensor<2xf32>
  %flags = kolam.constant dense<[true, false, true, true, true, true]> : tensor<6xi1>
  %marks = kolam.compress %mask, %flags : (tensor<6xi1>, tensor<6xi1>) -> tensor<3xi1>
  %nothing = kolam.constant dense<> : tensor<0xf32>
  %never = kolam.constant dense<> : tensor<0xi1>
  %none = kolam.compress %never, %nothing : (tensor<0xi1>, tensor<0xf32>) -> tensor<1xf32>
  return %kept, %longer, %shorter, %marks, %none : tensor<3xf32>, tensor<5xi64>, tensor<2xf32>, tensor<3xi1>, tensor<1xf32>
}
