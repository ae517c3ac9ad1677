// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.zip_map_reduce parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.zip_map_reduce(
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}zip_map_reduce{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @map(%x: tensor<?xf32, #kolam.extents<["n"]>>, %k: tensor<2xf32>) -> tensor<?xi32, #kolam.extents<["n"]>> {
  %0 = kolam.zip_map_reduce (%x) captures(%k) space <["n"]> dims [] commutative true <"chunk<64>"> : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<2xf32>) -> tensor<?xi32, #kolam.extents<["n"]>> {
  ^bb0(%a: tensor<f32>, %b: tensor<2xf32>):
    %i = kolam.iter_index 0 : tensor<i32>
    kolam.yield %i : tensor<i32>
  }
  return %0 : tensor<?xi32, #kolam.extents<["n"]>>
}

func.func @reduced(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = kolam.zip_map_reduce (%x) space <["4", "8"]> monoid "add" dims [1] commutative true <"chunk<64>"> : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<f32>):
    %s = kolam.elementwise "square" %a : (tensor<f32>) -> tensor<f32>
    kolam.yield %s : tensor<f32>
  }
  return %0 : tensor<4xf32>
}
