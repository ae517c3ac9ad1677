// RUN: kolam-opt %s --split-input-file --kolam-simplify | FileCheck %s
// A loop that counts, and a scan of so many steps over the same states, are one loop that appends.

// CHECK-LABEL: func.func @appended
// CHECK: %[[ROWS:.*]] = kolam.empty : tensor<0x64x64xf32>
// CHECK: kolam.while carry(%{{.*}}, %{{.*}}, %[[ROWS]])
// CHECK-SAME: appended = array<i64: 2>, late = ["", "", "n_0"]
// CHECK-COUNT-2: kolam.contract
// CHECK-NOT: kolam.contract
// CHECK-NOT: kolam.scan
// CHECK: kolam.reshape %{{.*}} : tensor<?x64x64xf32, #kolam.extents<["n_0", "64", "64"]>> -> tensor<?x64x64xf32, #kolam.extents<["n", "64", "64"]>>
func.func @appended(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<?x64x64xf32, #kolam.extents<["n", "64", "64"]>>) {
  %zero = kolam.constant dense<0> : tensor<i64>
  %h, %count = kolam.while carry(%x, %zero) : (tensor<64x64xf32>, tensor<i64>) -> (tensor<64x64xf32>, tensor<i64>) {
  ^bb0(%s: tensor<64x64xf32>, %i: tensor<i64>):
    %p = kolam.contract "ij,ij->" %s, %s <"chain"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<f32>
    %most = kolam.constant dense<9.0> : tensor<f32>
    %goes_on = kolam.elementwise "less" %p, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    kolam.yield %goes_on : tensor<i1>
  } do {
  ^bb0(%s: tensor<64x64xf32>, %i: tensor<i64>):
    %p = kolam.contract "ij,jk->ik" %s, %s <"chain<512>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %one = kolam.constant dense<1> : tensor<i64>
    %more = kolam.elementwise "add" %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %p, %more : tensor<64x64xf32>, tensor<i64>
  }
  kolam.bind_extent "n", %count : tensor<i64>
  %last, %all = kolam.scan carry(%x) over() length <["n"]> reverse false : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<?x64x64xf32, #kolam.extents<["n", "64", "64"]>>) {
  ^bb0(%s: tensor<64x64xf32>):
    %p = kolam.contract "ij,jk->ik" %s, %s <"chain<512>"> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kolam.yield %p, %s : tensor<64x64xf32>, tensor<64x64xf32>
  }
  return %last, %all : tensor<64x64xf32>, tensor<?x64x64xf32, #kolam.extents<["n", "64", "64"]>>
}
