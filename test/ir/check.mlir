// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.check parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.check{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}check{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @check(%c: tensor<?xi1, #kolam.extents<["n"]>>) -> () {
  kolam.check %c "bad-value" "expected positive numbers" : tensor<?xi1, #kolam.extents<["n"]>>
  return
}
