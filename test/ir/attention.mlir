// RUN: kolam-opt %s -o %t
// RUN: kolam-opt %t | diff %t -
// RUN: FileCheck %s --input-file %t
// RUN: kolam-opt %s --kolam-print-signatures -o /dev/null | FileCheck %s --check-prefix=SIGN
// kolam.attention parses back what it prints, in its own form, and its signature breaks no rule.

// CHECK-NOT: "kolam.
// CHECK: kolam.attention{{ |$}}
// CHECK-NOT: "kolam.

// SIGN-NOT: [space-
// SIGN: {{^}}attention{{( opaque)?$}}
// SIGN-NOT: [space-

func.func @plain(%q: tensor<?x4xbf16, #kolam.extents<["s", "4"]>>, %k: tensor<?x4xbf16, #kolam.extents<["t", "4"]>>, %v: tensor<?x3xbf16, #kolam.extents<["t", "3"]>>, %c: tensor<f32>) -> tensor<?x3xbf16, #kolam.extents<["s", "3"]>> {
  %0 = kolam.attention %q, %k, %v scale %c : (tensor<?x4xbf16, #kolam.extents<["s", "4"]>>, tensor<?x4xbf16, #kolam.extents<["t", "4"]>>, tensor<?x3xbf16, #kolam.extents<["t", "3"]>>, tensor<f32>) -> tensor<?x3xbf16, #kolam.extents<["s", "3"]>>
  return %0 : tensor<?x3xbf16, #kolam.extents<["s", "3"]>>
}

func.func @masked(%q: tensor<2x6x5x4xf32>, %k: tensor<1x3x7x4xf32>, %v: tensor<2x1x7x3xf32>, %c: tensor<f32>, %m: tensor<2x1x5x1xi1>, %a: tensor<2x1x5xi32>, %b: tensor<1x1x7xi32>, %t: tensor<7xi32>) -> tensor<2x6x5x3xf32> {
  %0 = kolam.attention %q, %k, %v scale %c mask %m segments %a, %b captures(%t) {left = 2 : i64, right = 0 : i64} : (tensor<2x6x5x4xf32>, tensor<1x3x7x4xf32>, tensor<2x1x7x3xf32>, tensor<f32>, tensor<2x1x5x1xi1>, tensor<2x1x5xi32>, tensor<1x1x7xi32>, tensor<7xi32>) -> tensor<2x6x5x3xf32> visible {
  ^bb0(%x: tensor<i32>, %h: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>, %table: tensor<7xi32>):
    %w = kolam.dynamic_slice %table[%j] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %s = kolam.squeeze %w [0] : tensor<1xi32> -> tensor<i32>
    %y = kolam.elementwise "less_equal" %s, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %y : tensor<i1>
  }
  return %0 : tensor<2x6x5x3xf32>
}

func.func @kept(%q: tensor<2x?x4xbf16, #kolam.extents<["2", "s", "4"]>>, %k: tensor<1x7x4xbf16>, %c: tensor<f32>) -> tensor<2x?xf32, #kolam.extents<["2", "s"]>> {
  %0, %lse = kolam.attention %q, %k, %k scale %c : (tensor<2x?x4xbf16, #kolam.extents<["2", "s", "4"]>>, tensor<1x7x4xbf16>, tensor<1x7x4xbf16>, tensor<f32>) -> (tensor<2x?x4xbf16, #kolam.extents<["2", "s", "4"]>>, tensor<2x?xf32, #kolam.extents<["2", "s"]>>)
  return %lse : tensor<2x?xf32, #kolam.extents<["2", "s"]>>
}
