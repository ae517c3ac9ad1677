// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.contract parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.contract "ij,jk,ij->ik" %{{[a-z0-9]+}}, %{{[a-z0-9]+}} where %{{[a-z0-9]+}} <"chain">
// CHECK: kolam.contract{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}contract{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @hidden(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %w: tensor<2x3xi1>) -> tensor<2x4xf32> {
  %0 = kolam.contract "ij,jk,ij->ik" %x, %y where %w <"chain"> : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x3xi1>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @contract(%x: tensor<?x8xbf16, #kolam.extents<["n", "8"]>>, %y: tensor<8x4xbf16>) -> tensor<?x4xbf16, #kolam.extents<["n", "4"]>> {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<?x8xbf16, #kolam.extents<["n", "8"]>>, tensor<8x4xbf16>) -> tensor<?x4xbf16, #kolam.extents<["n", "4"]>>
  return %0 : tensor<?x4xbf16, #kolam.extents<["n", "4"]>>
}
