// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.list_positions: a number for each element of the outermost level. By hand.

// CHECK: numbers =
// CHECK-NEXT: [0 1 2]

//--- program.mlir
func.func @main() -> tensor<?xi64, #kolam.extents<["s"]>> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %0 = kolam.list_positions %rows : (!kolam.list<!kolam.list<tensor<i64>>>) -> !kolam.list<tensor<i64>>
  %numbers = kolam.unpack %0 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  return %numbers : tensor<?xi64, #kolam.extents<["s"]>>
}
