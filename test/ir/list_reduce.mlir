// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.list_reduce parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.list_reduce{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}list_reduce opaque{{$}}
// SIGN-NOT: [space-

func.func @list_reduce(%x: !kolam.list<tensor<2xf32>>, %s: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = kolam.list_reduce from(%s) over(%x) : (tensor<2xf32>, !kolam.list<tensor<2xf32>>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    kolam.yield %a : tensor<2xf32>
  }
  %1 = kolam.list_reduce from() over(%x) captures(%s) : (!kolam.list<tensor<2xf32>>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>):
    kolam.yield %c : tensor<2xf32>
  }
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
