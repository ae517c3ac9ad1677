// RUN: kolam-opt %s --kolam-print-block-graph -o /dev/null | FileCheck %s
// Attention over windows of blocks: windows, slices and joins are fused into the maps of the cells, and joined
// results are written in part.
// Traced from:
//
//   def model(qss, kss, vss):
//       def row(qkv):
//           qs, ks, vs = qkv
//           kw, vw = ops.shifted_slide(ks, 3), ops.shifted_slide(vs, 3)
//           def middle(z):
//               q, k, v = z
//               kk = ops.flatten(ops.join(k, ks[0:1], ks[-1:]), axis=0)
//               vv = ops.flatten(ops.join(v, vs[0:1], vs[-1:]), axis=0)
//               return ko.softmax(q @ kk.T, axis=1) @ vv
//           def whole(q):
//               return ko.softmax(q @ ops.flatten(ks, axis=0).T, axis=1) @ ops.flatten(vs, axis=0)
//           heads = ops.map(whole, qs[:2])
//           mids = ops.map(middle, ops.zip(qs[2:-2], kw[2:-2], vw[2:-2]))
//           return ops.join(heads, mids)
//       return ops.map(row, ops.zip(qss, kss, vss))

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg0[i0]
// CHECK-NEXT: L2: length of arg2[i0]
// CHECK-NEXT: L3: length of arg4[i0]
// CHECK-NEXT: b0.0: float32[2, 4]
// CHECK-NEXT: b1.0: float32[2, 4]
// CHECK-NEXT: arg2: [L0][L2]float32[2, 4]
// CHECK-NEXT: arg0: [L0][L1]float32[2, 4]
// CHECK-NEXT: arg4: [L0][L3]float32[2, 4]
// CHECK-NEXT: result0: [L0][max(0, L1 - 4) + min(2, L1)]float32[2, 4]
// CHECK-NEXT: b0: map i0 < L0, map i1 < min(2, L1)
// CHECK-NEXT:   cell: unpack reshape transpose
// CHECK-NEXT:   reads arg2[i0][k0]; again along i1
// CHECK-NEXT:   reads arg0[i0][i1]
// CHECK-NEXT:   reads arg4[i0][k0]; again along i1
// CHECK-NEXT:   writes b0.0[i0][i1]
// CHECK-NEXT:   writes result0[i0][i1] = b0.0
// CHECK-NEXT: b1: map i0 < L0, map i1 < max(0, L1 - 4)
// CHECK-NEXT:   cell: unpack reshape unpack
// CHECK-NEXT:   reads arg2[i0][(i1 + k0 + 1) mod L2] where k0 < 3 | arg2[i0][0] where k0 = 3 | arg2[i0][L2 - 1] where k0 = 4
// CHECK-NEXT:   reads arg4[i0][(i1 + k0 + 1) mod L3] where k0 < 3 | arg4[i0][0] where k0 = 3 | arg4[i0][L3 - 1] where k0 = 4
// CHECK-NEXT:   reads arg0[i0][i1 + 2]
// CHECK-NEXT:   writes b1.0[i0][i1]
// CHECK-NEXT:   writes result0[i0][i1 + 2] = b1.0

module {
  func.func @main(%arg0: tensor<?x2x4xf32, #kolam.extents<["n0", "2", "4"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?x2x4xf32, #kolam.extents<["n2", "2", "4"]>>, %arg3: tensor<?xi64, #kolam.extents<["n3"]>>, %arg4: tensor<?x2x4xf32, #kolam.extents<["n4", "2", "4"]>>, %arg5: tensor<?xi64, #kolam.extents<["n5"]>>) -> (tensor<?x2x4xf32, #kolam.extents<["_5", "2", "4"]>>, tensor<?xi64, #kolam.extents<["_4 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?x2x4xf32, #kolam.extents<["n0", "2", "4"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
    %1 = kolam.pack %arg2 offsets(%arg3) : (tensor<?x2x4xf32, #kolam.extents<["n2", "2", "4"]>>, tensor<?xi64, #kolam.extents<["n3"]>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
    %2 = kolam.pack %arg4 offsets(%arg5) : (tensor<?x2x4xf32, #kolam.extents<["n4", "2", "4"]>>, tensor<?xi64, #kolam.extents<["n5"]>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
    %3 = kolam.list_map over(%0, %1, %2) : (!kolam.list<!kolam.list<tensor<2x4xf32>>>, !kolam.list<!kolam.list<tensor<2x4xf32>>>, !kolam.list<!kolam.list<tensor<2x4xf32>>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>> {
    ^bb0(%arg6: !kolam.list<tensor<2x4xf32>>, %arg7: !kolam.list<tensor<2x4xf32>>, %arg8: !kolam.list<tensor<2x4xf32>>):
      %4 = kolam.access %arg7 lengths ["L", "3"] index ["j0 + j1 - L*floordiv(j0 + j1 - 1, L) - 1"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
      %5 = kolam.access %arg8 lengths ["L", "3"] index ["j0 + j1 - L*floordiv(j0 + j1 - 1, L) - 1"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
      %6 = kolam.access %arg6 lengths ["min(2, L)"] index ["j0"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
      %7 = kolam.list_map over(%6) captures(%arg7, %arg8) : (!kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>> {
      ^bb0(%arg9: tensor<2x4xf32>, %arg10: !kolam.list<tensor<2x4xf32>>, %arg11: !kolam.list<tensor<2x4xf32>>):
        %leaves_0 = kolam.unpack %arg10 symbols ["_0"] : (!kolam.list<tensor<2x4xf32>>) -> tensor<?x2x4xf32, #kolam.extents<["_0", "2", "4"]>>
        %13 = kolam.reshape %leaves_0 : tensor<?x2x4xf32, #kolam.extents<["_0", "2", "4"]>> -> tensor<?x4xf32, #kolam.extents<["2*_0", "4"]>>
        %14 = kolam.transpose %13 [1, 0] : tensor<?x4xf32, #kolam.extents<["2*_0", "4"]>> -> tensor<4x?xf32, #kolam.extents<["4", "2*_0"]>>
        %15 = kolam.contract "mk,kn->mn" %arg9, %14 <"chain<8192>"> : (tensor<2x4xf32>, tensor<4x?xf32, #kolam.extents<["4", "2*_0"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>
        %16 = kolam.reduce "maximum" %15 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>) -> tensor<2xf32>
        %17 = kolam.elementwise "isfinite" %16 : (tensor<2xf32>) -> tensor<2xi1>
        %18 = kolam.constant dense<0.000000e+00> : tensor<f32>
        %19 = kolam.broadcast %18 [] : tensor<f32> -> tensor<2xf32>
        %20 = kolam.elementwise "where" %17, %16, %19 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        %21 = kolam.expand_dims %20 [1] : tensor<2xf32> -> tensor<2x1xf32>
        %22 = kolam.broadcast %21 [0, 1] : tensor<2x1xf32> -> tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>
        %23 = kolam.elementwise "subtract" %15, %22 : (tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>, tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>
        %24 = kolam.elementwise "exp" %23 : (tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>
        %25 = kolam.reduce "add" %24 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>) -> tensor<2xf32>
        %26 = kolam.expand_dims %25 [1] : tensor<2xf32> -> tensor<2x1xf32>
        %27 = kolam.broadcast %26 [0, 1] : tensor<2x1xf32> -> tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>
        %28 = kolam.elementwise "divide" %24, %27 : (tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>, tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>
        %leaves_1 = kolam.unpack %arg11 symbols ["_1"] : (!kolam.list<tensor<2x4xf32>>) -> tensor<?x2x4xf32, #kolam.extents<["_1", "2", "4"]>>
        %29 = kolam.reshape %leaves_1 : tensor<?x2x4xf32, #kolam.extents<["_1", "2", "4"]>> -> tensor<?x4xf32, #kolam.extents<["2*_1", "4"]>>
        %30 = kolam.extent "2*_0" : tensor<i64>
        %31 = kolam.extent "2*_1" : tensor<i64>
        %32 = kolam.elementwise "equal" %30, %31 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        kolam.check %32 "shape-mismatch" "dim 1 of operand 0, float32[2, 2*_0], and dim 0 of operand 1, float32[2*_1, 4]: expected equal extents, but got 2*_0 and 2*_1" : tensor<i1>
        %33 = kolam.reshape %29 : tensor<?x4xf32, #kolam.extents<["2*_1", "4"]>> -> tensor<?x4xf32, #kolam.extents<["2*_0", "4"]>>
        %34 = kolam.contract "mk,kn->mn" %28, %33 <"lanes<64>, chunk<4096>"> : (tensor<2x?xf32, #kolam.extents<["2", "2*_0"]>>, tensor<?x4xf32, #kolam.extents<["2*_0", "4"]>>) -> tensor<2x4xf32>
        kolam.yield %34 : tensor<2x4xf32>
      }
      %8 = kolam.access %arg6 lengths ["max(0, min(L, max(0, L - 2)) - min(2, L))"] index ["j0 + min(2, L)"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
      %9 = kolam.access %4 lengths ["max(0, min(L, max(0, L - 2)) - min(2, L))"] index ["j0 + min(2, L)"] : (!kolam.list<!kolam.list<tensor<2x4xf32>>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
      %10 = kolam.access %5 lengths ["max(0, min(L, max(0, L - 2)) - min(2, L))"] index ["j0 + min(2, L)"] : (!kolam.list<!kolam.list<tensor<2x4xf32>>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>>
      %11 = kolam.list_map over(%8, %9, %10) captures(%arg7, %arg8) : (!kolam.list<tensor<2x4xf32>>, !kolam.list<!kolam.list<tensor<2x4xf32>>>, !kolam.list<!kolam.list<tensor<2x4xf32>>>, !kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>> {
      ^bb0(%arg9: tensor<2x4xf32>, %arg10: !kolam.list<tensor<2x4xf32>>, %arg11: !kolam.list<tensor<2x4xf32>>, %arg12: !kolam.list<tensor<2x4xf32>>, %arg13: !kolam.list<tensor<2x4xf32>>):
        %13 = kolam.access %arg12 lengths ["min(1, L)"] index ["j0"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
        %14 = kolam.access %arg12 lengths ["max(0, L - min(L, max(0, L - 1)))"] index ["j0 + min(L, max(0, L - 1))"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
        %15 = kolam.join %arg10, %13, %14 : (!kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
        %leaves_0 = kolam.unpack %15 symbols ["_2"] : (!kolam.list<tensor<2x4xf32>>) -> tensor<?x2x4xf32, #kolam.extents<["_2", "2", "4"]>>
        %16 = kolam.reshape %leaves_0 : tensor<?x2x4xf32, #kolam.extents<["_2", "2", "4"]>> -> tensor<?x4xf32, #kolam.extents<["2*_2", "4"]>>
        %17 = kolam.access %arg13 lengths ["min(1, L)"] index ["j0"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
        %18 = kolam.access %arg13 lengths ["max(0, L - min(L, max(0, L - 1)))"] index ["j0 + min(L, max(0, L - 1))"] : (!kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
        %19 = kolam.join %arg11, %17, %18 : (!kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
        %leaves_1 = kolam.unpack %19 symbols ["_3"] : (!kolam.list<tensor<2x4xf32>>) -> tensor<?x2x4xf32, #kolam.extents<["_3", "2", "4"]>>
        %20 = kolam.reshape %leaves_1 : tensor<?x2x4xf32, #kolam.extents<["_3", "2", "4"]>> -> tensor<?x4xf32, #kolam.extents<["2*_3", "4"]>>
        %21 = kolam.transpose %16 [1, 0] : tensor<?x4xf32, #kolam.extents<["2*_2", "4"]>> -> tensor<4x?xf32, #kolam.extents<["4", "2*_2"]>>
        %22 = kolam.contract "mk,kn->mn" %arg9, %21 <"chain<8192>"> : (tensor<2x4xf32>, tensor<4x?xf32, #kolam.extents<["4", "2*_2"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>
        %23 = kolam.reduce "maximum" %22 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>) -> tensor<2xf32>
        %24 = kolam.elementwise "isfinite" %23 : (tensor<2xf32>) -> tensor<2xi1>
        %25 = kolam.constant dense<0.000000e+00> : tensor<f32>
        %26 = kolam.broadcast %25 [] : tensor<f32> -> tensor<2xf32>
        %27 = kolam.elementwise "where" %24, %23, %26 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        %28 = kolam.expand_dims %27 [1] : tensor<2xf32> -> tensor<2x1xf32>
        %29 = kolam.broadcast %28 [0, 1] : tensor<2x1xf32> -> tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>
        %30 = kolam.elementwise "subtract" %22, %29 : (tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>, tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>
        %31 = kolam.elementwise "exp" %30 : (tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>
        %32 = kolam.reduce "add" %31 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>) -> tensor<2xf32>
        %33 = kolam.expand_dims %32 [1] : tensor<2xf32> -> tensor<2x1xf32>
        %34 = kolam.broadcast %33 [0, 1] : tensor<2x1xf32> -> tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>
        %35 = kolam.elementwise "divide" %31, %34 : (tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>, tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>) -> tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>
        %36 = kolam.extent "2*_2" : tensor<i64>
        %37 = kolam.extent "2*_3" : tensor<i64>
        %38 = kolam.elementwise "equal" %36, %37 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        kolam.check %38 "shape-mismatch" "dim 1 of operand 0, float32[2, 2*_2], and dim 0 of operand 1, float32[2*_3, 4]: expected equal extents, but got 2*_2 and 2*_3" : tensor<i1>
        %39 = kolam.reshape %20 : tensor<?x4xf32, #kolam.extents<["2*_3", "4"]>> -> tensor<?x4xf32, #kolam.extents<["2*_2", "4"]>>
        %40 = kolam.contract "mk,kn->mn" %35, %39 <"lanes<64>, chunk<4096>"> : (tensor<2x?xf32, #kolam.extents<["2", "2*_2"]>>, tensor<?x4xf32, #kolam.extents<["2*_2", "4"]>>) -> tensor<2x4xf32>
        kolam.yield %40 : tensor<2x4xf32>
      }
      %12 = kolam.join %7, %11 : (!kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>>
      kolam.yield %12 : !kolam.list<tensor<2x4xf32>>
    }
    %leaves, %offsets = kolam.unpack %3 symbols ["_4", "_5"] : (!kolam.list<!kolam.list<tensor<2x4xf32>>>) -> (tensor<?x2x4xf32, #kolam.extents<["_5", "2", "4"]>>, tensor<?xi64, #kolam.extents<["_4 + 1"]>>)
    return %leaves, %offsets : tensor<?x2x4xf32, #kolam.extents<["_5", "2", "4"]>>, tensor<?xi64, #kolam.extents<["_4 + 1"]>>
  }
}
