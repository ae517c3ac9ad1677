// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: not kolam run %t/above.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not kolam run %t/above.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not kolam run %t/below.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not kolam run %t/below.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=BELOW
// kolam.list_index: an element, from the end where the index is below 0. By hand.

// CHECK: leaf =
// CHECK-NEXT: 3
// CHECK: last =
// CHECK-NEXT: [3 4]
// ABOVE: [list-index]
// BELOW: [list-index]

//--- program.mlir
func.func @main() -> (tensor<i64>, tensor<?xi64, #kolam.extents<["s"]>>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %i = kolam.constant dense<-1> : tensor<i64>
  %j = kolam.constant dense<0> : tensor<i64>
  %row = kolam.list_index %rows[%i] : (!kolam.list<!kolam.list<tensor<i64>>>, tensor<i64>) -> !kolam.list<tensor<i64>>
  %leaf = kolam.list_index %row[%j] : (!kolam.list<tensor<i64>>, tensor<i64>) -> tensor<i64>
  %last = kolam.unpack %row symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  return %leaf, %last : tensor<i64>, tensor<?xi64, #kolam.extents<["s"]>>
}

//--- above.mlir
func.func @main() -> tensor<i64> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %i = kolam.constant dense<3> : tensor<i64>
  %row = kolam.list_index %rows[%i] : (!kolam.list<!kolam.list<tensor<i64>>>, tensor<i64>) -> !kolam.list<tensor<i64>>
  %n = kolam.list_length %row : (!kolam.list<tensor<i64>>) -> tensor<i64>
  return %n : tensor<i64>
}

//--- below.mlir
func.func @main() -> tensor<i64> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %i = kolam.constant dense<-4> : tensor<i64>
  %row = kolam.list_index %rows[%i] : (!kolam.list<!kolam.list<tensor<i64>>>, tensor<i64>) -> !kolam.list<tensor<i64>>
  %n = kolam.list_length %row : (!kolam.list<tensor<i64>>) -> tensor<i64>
  return %n : tensor<i64>
}
