// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: not kolam run %t/late.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not kolam run %t/late.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not kolam run %t/falling.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=FALLING
// RUN: not kolam run %t/falling.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=FALLING
// RUN: not kolam run %t/short.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not kolam run %t/short.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=SHORT
// kolam.pack: offsets begin with 0, never decrease and end with the number of leaves. By hand.

// CHECK: first =
// CHECK-NEXT: [0 1 2]
// LATE: [list-offsets]
// FALLING: [list-offsets]
// SHORT: [list-offsets]

//--- program.mlir
func.func @main() -> tensor<?xi64, #kolam.extents<["u"]>> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %i = kolam.constant dense<0> : tensor<i64>
  %row = kolam.list_index %rows[%i] : (!kolam.list<!kolam.list<tensor<i64>>>, tensor<i64>) -> !kolam.list<tensor<i64>>
  %first = kolam.unpack %row symbols ["u"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["u"]>>
  return %first : tensor<?xi64, #kolam.extents<["u"]>>
}

//--- late.mlir
func.func @main() -> tensor<i64> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[1, 3, 5]> : tensor<3xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<3xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %count = kolam.list_length %rows : (!kolam.list<!kolam.list<tensor<i64>>>) -> tensor<i64>
  return %count : tensor<i64>
}

//--- falling.mlir
func.func @main() -> tensor<i64> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 6, 5]> : tensor<3xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<3xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %count = kolam.list_length %rows : (!kolam.list<!kolam.list<tensor<i64>>>) -> tensor<i64>
  return %count : tensor<i64>
}

//--- short.mlir
func.func @main() -> tensor<i64> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 4]> : tensor<3xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<3xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %count = kolam.list_length %rows : (!kolam.list<!kolam.list<tensor<i64>>>) -> tensor<i64>
  return %count : tensor<i64>
}
