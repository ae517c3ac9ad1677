// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.segment_ids parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.segment_ids{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}segment_ids{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @segment_ids(%offsets: tensor<?xi64, #kolam.extents<["m"]>>) -> tensor<?xi64, #kolam.extents<["n"]>> {
  %0 = kolam.segment_ids %offsets : (tensor<?xi64, #kolam.extents<["m"]>>) -> tensor<?xi64, #kolam.extents<["n"]>>
  return %0 : tensor<?xi64, #kolam.extents<["n"]>>
}
