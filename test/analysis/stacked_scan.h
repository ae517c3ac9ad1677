/// A program of two scans in one another.
#pragma once

namespace kolam::test {

/// A fold over weights of a scan over a list: h = h + x w, with h + x w used twice.
inline constexpr const char* kStackedScan = R"(
func.func @main(%x: tensor<?xf32, #kolam.extents<["n0"]>>, %w: tensor<?xf32, #kolam.extents<["n1"]>>) -> tensor<?xf32, #kolam.extents<["_0"]>> {
  %xs = kolam.pack %x : (tensor<?xf32, #kolam.extents<["n0"]>>) -> !kolam.list<tensor<f32>>
  %ws = kolam.pack %w : (tensor<?xf32, #kolam.extents<["n1"]>>) -> !kolam.list<tensor<f32>>
  %r:2 = kolam.list_scan carry(%xs) over(%ws) reverse false associative false : (!kolam.list<tensor<f32>>, !kolam.list<tensor<f32>>) -> (!kolam.list<tensor<f32>>, !kolam.list<!kolam.list<tensor<f32>>>) {
  ^bb0(%layer: !kolam.list<tensor<f32>>, %weight: tensor<f32>):
    %zero = kolam.constant dense<5.000000e-01> : tensor<f32>
    %s:2 = kolam.list_scan carry(%zero) over(%layer) captures(%weight) reverse false associative false : (tensor<f32>, !kolam.list<tensor<f32>>, tensor<f32>) -> (tensor<f32>, !kolam.list<tensor<f32>>) {
    ^bb0(%h: tensor<f32>, %in: tensor<f32>, %v: tensor<f32>):
      %p = kolam.elementwise "multiply" %in, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = kolam.elementwise "add" %h, %p : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %two = kolam.constant dense<2.000000e+00> : tensor<f32>
      %t = kolam.elementwise "divide" %q, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %u = kolam.elementwise "add" %t, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
      kolam.yield %u : tensor<f32>
    }
    kolam.yield %s#1 : !kolam.list<tensor<f32>>
  }
  %leaves = kolam.unpack %r#0 symbols ["_0"] : (!kolam.list<tensor<f32>>) -> tensor<?xf32, #kolam.extents<["_0"]>>
  return %leaves : tensor<?xf32, #kolam.extents<["_0"]>>
}
)";

} // namespace kolam::test
