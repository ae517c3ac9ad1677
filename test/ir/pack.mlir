// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.pack parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.pack{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}pack opaque{{$}}
// SIGN-NOT: [space-

func.func @pack(%x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>, %o: tensor<?xi64, #kolam.extents<["m"]>>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
  %0 = kolam.pack %x : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>) -> !kolam.list<tensor<2xf32>>
  %1 = kolam.pack %x offsets(%o) : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<?xi64, #kolam.extents<["m"]>>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  return %0, %1 : !kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>
}
