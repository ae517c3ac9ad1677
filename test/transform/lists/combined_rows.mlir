// RUN: kolam run %s --stop-after tensors | FileCheck %s
// Functions of numbers are monoids of one op: of lists as segments, of one list as it is, and of windows, of which no
// place is looked at. Nothing goes on in a loop.

// CHECK-NOT: kolam.for
// CHECK: kolam.segment_reduce "add" of %arg1 over %arg0 commutative true <"lanes<64>, chunk<4096>">
// CHECK-NOT: kolam.for
// CHECK: kolam.reduce "list_reduce" %arg2 dims [0] commutative false <"chunk<64>">
// CHECK-NOT: "list-index"
// CHECK: kolam.reduce "maximum" %{{[0-9]+}} dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?x3xf32
// CHECK-NOT: kolam.for

module {
  func.func @main(%arg0: tensor<?xf32, #kolam.extents<["n0"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?xf32, #kolam.extents<["n2"]>>) -> (tensor<?xf32, #kolam.extents<["_0"]>>, tensor<f32>, tensor<?xf32, #kolam.extents<["_1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?xf32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<f32>>>
    %1 = kolam.pack %arg2 : (tensor<?xf32, #kolam.extents<["n2"]>>) -> !kolam.list<tensor<f32>>
    %2 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<f32>>>) -> !kolam.list<tensor<f32>> {
    ^bb0(%arg3: !kolam.list<tensor<f32>>):
      %6 = kolam.constant dense<0.000000e+00> : tensor<f32>
      %7 = kolam.list_reduce from(%6) over(%arg3) : (tensor<f32>, !kolam.list<tensor<f32>>) -> tensor<f32> {
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %8 = kolam.elementwise "add" %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
        kolam.yield %8 : tensor<f32>
      }
      kolam.yield %7 : tensor<f32>
    }
    %3 = kolam.list_reduce from() over(%1) : (!kolam.list<tensor<f32>>) -> tensor<f32> {
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %6 = kolam.constant dense<2.000000e+00> : tensor<f32>
      %7 = kolam.elementwise "multiply" %arg3, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %8 = kolam.elementwise "add" %7, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      kolam.yield %8 : tensor<f32>
    }
    %4 = kolam.access %1 lengths ["L - 2", "3"] index ["j0 + j1"] : (!kolam.list<tensor<f32>>) -> !kolam.list<!kolam.list<tensor<f32>>>
    %5 = kolam.list_map over(%4) : (!kolam.list<!kolam.list<tensor<f32>>>) -> !kolam.list<tensor<f32>> {
    ^bb0(%arg3: !kolam.list<tensor<f32>>):
      %6 = kolam.list_reduce from() over(%arg3) : (!kolam.list<tensor<f32>>) -> tensor<f32> {
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %7 = kolam.elementwise "maximum" %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
        kolam.yield %7 : tensor<f32>
      }
      kolam.yield %6 : tensor<f32>
    }
    %leaves = kolam.unpack %2 symbols ["_0"] : (!kolam.list<tensor<f32>>) -> tensor<?xf32, #kolam.extents<["_0"]>>
    %leaves_0 = kolam.unpack %5 symbols ["_1"] : (!kolam.list<tensor<f32>>) -> tensor<?xf32, #kolam.extents<["_1"]>>
    return %leaves, %3, %leaves_0 : tensor<?xf32, #kolam.extents<["_0"]>>, tensor<f32>, tensor<?xf32, #kolam.extents<["_1"]>>
  }
}
