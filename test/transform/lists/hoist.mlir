// RUN: kolam run %s --stop-after nests | FileCheck %s
// What no turn changes stands in front of a loop: the lengths of the rows, and with them the order of the cells, are the
// same for all layers; the columns of a layer's weights are the same for all waves.

// CHECK: sort
// CHECK: for
// CHECK-NOT: sort
// CHECK: for

module {
  func.func @main(%arg0: tensor<?x1x2xf32, #kolam.extents<["n0", "1", "2"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?x2x2xf32, #kolam.extents<["n2", "2", "2"]>>) -> (tensor<?x1x2xf32, #kolam.extents<["_1", "1", "2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.constant dense<0.000000e+00> : tensor<1x2xf32>
    %1 = kolam.pack %arg0 offsets(%arg1) : (tensor<?x1x2xf32, #kolam.extents<["n0", "1", "2"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<1x2xf32>>>
    %2 = kolam.pack %arg2 : (tensor<?x2x2xf32, #kolam.extents<["n2", "2", "2"]>>) -> !kolam.list<tensor<2x2xf32>>
    %3:2 = kolam.list_scan carry(%1) over(%2) captures(%0) reverse false associative false : (!kolam.list<!kolam.list<tensor<1x2xf32>>>, !kolam.list<tensor<2x2xf32>>, tensor<1x2xf32>) -> (!kolam.list<!kolam.list<tensor<1x2xf32>>>, !kolam.list<!kolam.list<!kolam.list<tensor<1x2xf32>>>>) {
    ^bb0(%arg3: !kolam.list<!kolam.list<tensor<1x2xf32>>>, %arg4: tensor<2x2xf32>, %arg5: tensor<1x2xf32>):
      %4 = kolam.list_map over(%arg3) captures(%arg5, %arg4) : (!kolam.list<!kolam.list<tensor<1x2xf32>>>, tensor<1x2xf32>, tensor<2x2xf32>) -> !kolam.list<!kolam.list<tensor<1x2xf32>>> {
      ^bb0(%arg6: !kolam.list<tensor<1x2xf32>>, %arg7: tensor<1x2xf32>, %arg8: tensor<2x2xf32>):
        %5:2 = kolam.list_scan carry(%arg7) over(%arg6) captures(%arg8) reverse false associative false : (tensor<1x2xf32>, !kolam.list<tensor<1x2xf32>>, tensor<2x2xf32>) -> (tensor<1x2xf32>, !kolam.list<tensor<1x2xf32>>) {
        ^bb0(%arg9: tensor<1x2xf32>, %arg10: tensor<1x2xf32>, %arg11: tensor<2x2xf32>):
          %6 = kolam.contract "mk,kn->mn" %arg9, %arg11 <"lanes<64>, chunk<4096>"> : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
          %7 = kolam.elementwise "add" %6, %arg10 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
          kolam.yield %7 : tensor<1x2xf32>
        }
        kolam.yield %5#1 : !kolam.list<tensor<1x2xf32>>
      }
      kolam.yield %4 : !kolam.list<!kolam.list<tensor<1x2xf32>>>
    }
    %leaves, %offsets = kolam.unpack %3#0 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<1x2xf32>>>) -> (tensor<?x1x2xf32, #kolam.extents<["_1", "1", "2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?x1x2xf32, #kolam.extents<["_1", "1", "2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
