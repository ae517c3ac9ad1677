// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.segment_reduce parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.segment_reduce{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}segment_reduce{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @segment_reduce(%offsets: tensor<?xi64, #kolam.extents<["m"]>>, %x: tensor<?x8xf32, #kolam.extents<["n", "8"]>>) -> tensor<?x8xf32, #kolam.extents<["m - 1", "8"]>> {
  %0 = kolam.segment_reduce "add" of %offsets over %x commutative true <"chunk<64>"> : (tensor<?xi64, #kolam.extents<["m"]>>, tensor<?x8xf32, #kolam.extents<["n", "8"]>>) -> tensor<?x8xf32, #kolam.extents<["m - 1", "8"]>>
  return %0 : tensor<?x8xf32, #kolam.extents<["m - 1", "8"]>>
}
