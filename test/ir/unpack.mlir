// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.unpack parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.unpack{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}unpack opaque{{$}}
// SIGN-NOT: [space-

func.func @unpack(%x: !kolam.list<!kolam.list<tensor<2xf32>>>) -> (tensor<?x2xf32, #kolam.extents<["k", "2"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>) {
  %0, %1 = kolam.unpack %x symbols ["s", "k"] : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> (tensor<?x2xf32, #kolam.extents<["k", "2"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>)
  return %0, %1 : tensor<?x2xf32, #kolam.extents<["k", "2"]>>, tensor<?xi64, #kolam.extents<["s + 1"]>>
}
