// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.contract parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.contract{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}contract{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @contract(%x: tensor<?x8xbf16, #kolam.extents<["n", "8"]>>, %y: tensor<8x4xbf16>) -> tensor<?x4xbf16, #kolam.extents<["n", "4"]>> {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<?x8xbf16, #kolam.extents<["n", "8"]>>, tensor<8x4xbf16>) -> tensor<?x4xbf16, #kolam.extents<["n", "4"]>>
  return %0 : tensor<?x4xbf16, #kolam.extents<["n", "4"]>>
}
