// RUN: kolam run %s --backend interpret | FileCheck %s
// RUN: kolam run %s --backend cpu | FileCheck %s
// RUN: kolam run %s --backend schedule | FileCheck %s
// kolam.pin gives its operand.

// CHECK: sums =
// CHECK-NEXT: [2. 4. 6.]

func.func @main() -> tensor<3xf32> {
  %x = kolam.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %pinned = kolam.pin %x 0 ["time"] : tensor<3xf32> -> tensor<3xf32>
  %sums = kolam.elementwise "add" %pinned, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %sums : tensor<3xf32>
}
