// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// kolam.unpack: leaves and offsets, outermost first, of a list of any depth; each symbol is the number of elements of a level. By hand.

// CHECK: leaves =
// CHECK-NEXT: [7 8 9]
// CHECK: first =
// CHECK-NEXT: [0 2 2]
// CHECK: second =
// CHECK-NEXT: [0 1 3]
// CHECK: last =
// CHECK-NEXT: 322

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>, tensor<?xi64, #kolam.extents<["t + 1"]>>, tensor<i64>) {
  %values = kolam.constant dense<[7, 8, 9]> : tensor<3xi64>
  %outer = kolam.constant dense<[0, 2, 2]> : tensor<3xi64>
  %inner = kolam.constant dense<[0, 1, 3]> : tensor<3xi64>
  %lists = kolam.pack %values offsets(%outer, %inner) : (tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> !kolam.list<!kolam.list<!kolam.list<tensor<i64>>>>
  %leaves, %first, %second = kolam.unpack %lists symbols ["s", "t", "u"] : (!kolam.list<!kolam.list<!kolam.list<tensor<i64>>>>) -> (tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>, tensor<?xi64, #kolam.extents<["t + 1"]>>)
  %last = kolam.extent "s + 10*t + 100*u" : tensor<i64>
  return %leaves, %first, %second, %last : tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>, tensor<?xi64, #kolam.extents<["t + 1"]>>, tensor<i64>
}
