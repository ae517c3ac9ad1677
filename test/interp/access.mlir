// RUN: split-file %s %t
// RUN: kolam run %t/program.mlir --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --backend cpu | FileCheck %s --match-full-lines
// RUN: not kolam run %t/outside.mlir --backend interpret 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not kolam run %t/outside.mlir --backend cpu 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// kolam.access: elements at places that expressions give, a padding tensor outside; lengths below 0 are 0. By hand.

// CHECK: odd =
// CHECK-NEXT: [4 2 0]
// CHECK: window =
// CHECK-NEXT: [-7  1  3]
// CHECK: picked =
// CHECK-NEXT: [0 4]
// CHECK: seconds =
// CHECK-NEXT: [1 4]
// CHECK: strided =
// CHECK-NEXT: [0 2 4 1 3]
// CHECK: strided_starts =
// CHECK-NEXT: [0 3 5]
// CHECK: none =
// CHECK-NEXT: []
// CHECK: none_starts =
// CHECK-NEXT: [0]
// OUTSIDE: [list-index]

//--- program.mlir
func.func @main() -> (tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["v"]>>, tensor<?xi64, #kolam.extents<["x"]>>, tensor<?xi64, #kolam.extents<["w + 1"]>>, tensor<?xi64, #kolam.extents<["z"]>>, tensor<?xi64, #kolam.extents<["y + 1"]>>) {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %starts = kolam.constant dense<[0, 3, 3, 5]> : tensor<4xi64>
  %rows = kolam.pack %values offsets(%starts) : (tensor<5xi64>, tensor<4xi64>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %list = kolam.pack %values : (tensor<5xi64>) -> !kolam.list<tensor<i64>>
  %i = kolam.constant dense<1> : tensor<i64>
  %pad = kolam.constant dense<-7> : tensor<i64>
  %0 = kolam.access %list lengths ["ceildiv(L, 2)"] index ["L - 2*j0 - 1"] : (!kolam.list<tensor<i64>>) -> !kolam.list<tensor<i64>>
  %1 = kolam.access %list scalars(%i) pad(%pad) lengths ["3"] index ["a0 + 2*j0 - 2"] : (!kolam.list<tensor<i64>>, tensor<i64>, tensor<i64>) -> !kolam.list<tensor<i64>>
  %2 = kolam.access %list lengths ["2", "ceildiv(max(0, L - j0), 2)"] index ["j0 + 2*j1"] : (!kolam.list<tensor<i64>>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %3 = kolam.access %rows lengths ["2"] index ["2*j0", "j0"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> !kolam.list<tensor<i64>>
  %4 = kolam.access %rows lengths ["N - 3"] index ["2*j0", "1"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> !kolam.list<tensor<i64>>
  %6 = kolam.access %rows lengths ["-2"] index ["j0"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> !kolam.list<!kolam.list<tensor<i64>>>
  %odd = kolam.unpack %0 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  %window = kolam.unpack %1 symbols ["t"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["t"]>>
  %picked = kolam.unpack %3 symbols ["u"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["u"]>>
  %seconds = kolam.unpack %4 symbols ["v"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["v"]>>
  %strided, %strided_starts = kolam.unpack %2 symbols ["w", "x"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["x"]>>, tensor<?xi64, #kolam.extents<["w + 1"]>>)
  %none, %none_starts = kolam.unpack %6 symbols ["y", "z"] : (!kolam.list<!kolam.list<tensor<i64>>>) -> (tensor<?xi64, #kolam.extents<["z"]>>, tensor<?xi64, #kolam.extents<["y + 1"]>>)
  return %odd, %window, %picked, %seconds, %strided, %strided_starts, %none, %none_starts : tensor<?xi64, #kolam.extents<["s"]>>, tensor<?xi64, #kolam.extents<["t"]>>, tensor<?xi64, #kolam.extents<["u"]>>, tensor<?xi64, #kolam.extents<["v"]>>, tensor<?xi64, #kolam.extents<["x"]>>, tensor<?xi64, #kolam.extents<["w + 1"]>>, tensor<?xi64, #kolam.extents<["z"]>>, tensor<?xi64, #kolam.extents<["y + 1"]>>
}

//--- outside.mlir
func.func @main() -> tensor<?xi64, #kolam.extents<["s"]>> {
  %values = kolam.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %list = kolam.pack %values : (tensor<5xi64>) -> !kolam.list<tensor<i64>>
  %0 = kolam.access %list lengths ["L"] index ["j0 + 1"] : (!kolam.list<tensor<i64>>) -> !kolam.list<tensor<i64>>
  %r = kolam.unpack %0 symbols ["s"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["s"]>>
  return %r : tensor<?xi64, #kolam.extents<["s"]>>
}
