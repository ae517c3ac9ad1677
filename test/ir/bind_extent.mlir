// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.bind_extent parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.bind_extent{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}bind_extent opaque{{$}}
// SIGN-NOT: [space-

func.func @bind_extent(%n: tensor<i64>) -> tensor<?xi64, #kolam.extents<["s"]>> {
  kolam.bind_extent "s", %n : tensor<i64>
  %0 = kolam.iota 0 : tensor<?xi64, #kolam.extents<["s"]>>
  return %0 : tensor<?xi64, #kolam.extents<["s"]>>
}
