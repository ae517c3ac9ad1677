// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// kolam.composite parses back what it prints, in its own form.

// CHECK-NOT: "kolam.
// CHECK: kolam.composite{{ |$}}
// CHECK-NOT: "kolam.

func.func @composite(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  %0 = kolam.composite "same"(%x) {axis = 0 : i64} : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  ^bb0(%a: tensor<?xf32, #kolam.extents<["n"]>>):
    kolam.yield %a : tensor<?xf32, #kolam.extents<["n"]>>
  }
  return %0 : tensor<?xf32, #kolam.extents<["n"]>>
}
