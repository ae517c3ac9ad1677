// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --stop-after tensors | FileCheck %s --check-prefix=TENSORS
// A function of one row of a tensor, which it makes of an element, is one of all rows.

// CHECK: leaves =
// CHECK-NEXT: {{\[\[}}-2 -1  0]
// CHECK-NEXT:  [ 0 -2 -1]]
// TENSORS-NOT: x1x
// TENSORS: kolam.reduce "maximum" %{{.*}} dims [1] {{.*}} -> tensor<?xi32, #kolam.extents<["n0"]>>
// TENSORS-NOT: x1x

//--- arguments.mlir
func.func @main() -> tensor<2x3xi32> {
  %numbers = kolam.constant dense<[[1, 2, 3], [6, 4, 5]]> : tensor<2x3xi32>
  return %numbers : tensor<2x3xi32>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?x3xi32, #kolam.extents<["n0", "3"]>>) -> tensor<?x3xi32, #kolam.extents<["_0", "3"]>> {
    %0 = kolam.pack %numbers : (tensor<?x3xi32, #kolam.extents<["n0", "3"]>>) -> !kolam.list<tensor<3xi32>>
    %1 = kolam.list_map over(%0) : (!kolam.list<tensor<3xi32>>) -> !kolam.list<tensor<3xi32>> {
    ^bb0(%x: tensor<3xi32>):
      %2 = kolam.reshape %x : tensor<3xi32> -> tensor<1x3xi32>
      %3 = kolam.reduce "maximum" %2 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1x3xi32>) -> tensor<1xi32>
      %4 = kolam.broadcast %3 [0] : tensor<1xi32> -> tensor<1x3xi32>
      %5 = kolam.elementwise "subtract" %2, %4 : (tensor<1x3xi32>, tensor<1x3xi32>) -> tensor<1x3xi32>
      %6 = kolam.reshape %5 : tensor<1x3xi32> -> tensor<3xi32>
      kolam.yield %6 : tensor<3xi32>
    }
    %leaves = kolam.unpack %1 symbols ["_0"] : (!kolam.list<tensor<3xi32>>) -> tensor<?x3xi32, #kolam.extents<["_0", "3"]>>
    return %leaves : tensor<?x3xi32, #kolam.extents<["_0", "3"]>>
  }
}
