// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.join: the elements of lists, one after the other. By hand.

// CHECK: both =
// CHECK-NEXT: [0 1 2 3 4 0 1 2 3 4]
// CHECK: both_starts =
// CHECK-NEXT: [ 0  3  3  5  8  8 10]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %none = kolam.constant dense<0> : tensor<1xi64>
  %nothing = kolam.constant dense<> : tensor<0xi64>
  %empty = kolam.pack %nothing offsets(%none) : (tensor<0xi64>, tensor<1xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %0 = kolam.join %rows, %empty, %rows : (!kolam.list<!kolam.list<tensor<i64>>>, !kolam.list<!kolam.list<tensor<i64>>>, !kolam.list<!kolam.list<tensor<i64>>>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %both, %both_starts = kolam.unpack %0 symbols ["s", "t"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>)
  return %both, %both_starts : tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>
}
