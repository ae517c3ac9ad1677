// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// RUN: kolam-opt %s --kolam-simplify | FileCheck %s --check-prefix=KEPT
// kolam.opaque_call parses back what it prints, in its own form, and its signature breaks no rule. It is kept although
// nobody reads its result.

// CHECK-NOT: "kolam.
// CHECK: kolam.opaque_call{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}opaque_call{{( opaque)?$}}
// SIGN-NOT: [space-

// KEPT: kolam.opaque_call "print"(%{{.*}}, %{{.*}})
// KEPT: kolam.opaque_call "print"(%{{.*}}, %{{.*}})
// KEPT: kolam.opaque_call "beep"()

func.func @opaque_call(%x: tensor<?xf32, #kolam.extents<["n"]>>, %y: tensor<i64>) -> tensor<i64> {
  %0:2 = kolam.opaque_call "print"(%x, %y) : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<i64>) -> (tensor<?xf32, #kolam.extents<["n"]>>, tensor<2xi1>)
  %1:2 = kolam.opaque_call "print"(%x, %y) : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<i64>) -> (tensor<?xf32, #kolam.extents<["n"]>>, tensor<2xi1>)
  kolam.opaque_call "beep"() : () -> ()
  return %y : tensor<i64>
}
