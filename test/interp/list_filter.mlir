// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: not kolam run %t/longer.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: not kolam run %t/longer.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=LONGER
// kolam.list_filter: the elements whose mask is true, in order. By hand.

// CHECK: kept =
// CHECK-NEXT: [3 4]
// CHECK: kept_starts =
// CHECK-NEXT: [0 0 2]
// LONGER: [list-lengths]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %flags = kolam.constant dense<[false, true, true]> : tensor<3xi1>
  %mask = kolam.pack %flags : (tensor<3xi1>) -> !kolam.list<tensor<i1>>
  %0 = kolam.list_filter %rows, %mask : (!kolam.list<!kolam.list<tensor<i64>>>, !kolam.list<tensor<i1>>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %kept, %kept_starts = kolam.unpack %0 symbols ["s", "t"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>)
  return %kept, %kept_starts : tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>
}

//--- longer.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %flags = kolam.constant dense<[false, true, true, true]> : tensor<4xi1>
  %mask = kolam.pack %flags : (tensor<4xi1>) -> !kolam.list<tensor<i1>>
  %0 = kolam.list_filter %rows, %mask : (!kolam.list<!kolam.list<tensor<i64>>>, !kolam.list<tensor<i1>>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %kept, %kept_starts = kolam.unpack %0 symbols ["s", "t"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>)
  return %kept, %kept_starts : tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>
}
