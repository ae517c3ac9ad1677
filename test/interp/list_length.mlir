// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.list_length: the number of elements of the outermost level. By hand.

// CHECK: count =
// CHECK-NEXT: 3
// CHECK: none =
// CHECK-NEXT: 0

//--- program.mlir
func.func @main() -> (tensor<i64>, tensor<i64>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %count = kolam.list_length %rows : (!kolam.list<!kolam.list<tensor<i64>>>) -> tensor<i64>
  %one = kolam.constant dense<1> : tensor<i64>
  %row = kolam.list_index %rows[%one] : (!kolam.list<!kolam.list<tensor<i64>>>, tensor<i64>) -> !kolam.list<tensor<i64>>
  %none = kolam.list_length %row : (!kolam.list<tensor<i64>>) -> tensor<i64>
  return %count, %none : tensor<i64>, tensor<i64>
}
