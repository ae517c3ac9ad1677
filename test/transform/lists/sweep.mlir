// RUN: kolam run %s --stop-after rewritten | FileCheck %s
// Sizes of one value have one symbol: what two filters of one list find is counted once. Their lengths are then known to be
// equal, and nothing checks that.

// CHECK-COUNT-2: kolam.bind_extent "_l
// CHECK-NOT: kolam.bind_extent "_l
// CHECK-NOT: "list-lengths"

module {
  func.func @main(%arg0: tensor<?xf32, #kolam.extents<["n0"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xf32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?xf32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<f32>>>
    %1 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<f32>>>) -> !kolam.list<tensor<i1>> {
    ^bb0(%arg2: !kolam.list<tensor<f32>>):
      %6 = kolam.list_length %arg2 : (!kolam.list<tensor<f32>>) -> tensor<i64>
      %7 = kolam.constant dense<1> : tensor<i64>
      %8 = kolam.elementwise "greater" %6, %7 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      kolam.yield %8 : tensor<i1>
    }
    %2 = kolam.list_filter %0, %1 : (!kolam.list<!kolam.list<tensor<f32>>>, !kolam.list<tensor<i1>>) -> !kolam.list<!kolam.list<tensor<f32>>>
    %3 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<f32>>>) -> !kolam.list<tensor<i1>> {
    ^bb0(%arg2: !kolam.list<tensor<f32>>):
      %6 = kolam.list_length %arg2 : (!kolam.list<tensor<f32>>) -> tensor<i64>
      %7 = kolam.constant dense<1> : tensor<i64>
      %8 = kolam.elementwise "greater" %6, %7 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      kolam.yield %8 : tensor<i1>
    }
    %4 = kolam.list_filter %0, %3 : (!kolam.list<!kolam.list<tensor<f32>>>, !kolam.list<tensor<i1>>) -> !kolam.list<!kolam.list<tensor<f32>>>
    %5 = kolam.list_map over(%2, %4) : (!kolam.list<!kolam.list<tensor<f32>>>, !kolam.list<!kolam.list<tensor<f32>>>) -> !kolam.list<!kolam.list<tensor<f32>>> {
    ^bb0(%arg2: !kolam.list<tensor<f32>>, %arg3: !kolam.list<tensor<f32>>):
      %6 = kolam.list_map over(%arg2, %arg3) : (!kolam.list<tensor<f32>>, !kolam.list<tensor<f32>>) -> !kolam.list<tensor<f32>> {
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %7 = kolam.elementwise "add" %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
        kolam.yield %7 : tensor<f32>
      }
      kolam.yield %6 : !kolam.list<tensor<f32>>
    }
    %leaves, %offsets = kolam.unpack %5 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<f32>>>) -> (tensor<?xf32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?xf32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}


