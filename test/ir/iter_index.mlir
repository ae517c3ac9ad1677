// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.iter_index parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.iter_index{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}iter_index{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @iter_index() -> tensor<3xi32> {
  %0 = kolam.zip_map_reduce () space <["3"]> dims [] commutative true <"chunk<64>"> : () -> tensor<3xi32> {
    %i = kolam.iter_index 0 : tensor<i32>
    kolam.yield %i : tensor<i32>
  }
  return %0 : tensor<3xi32>
}
