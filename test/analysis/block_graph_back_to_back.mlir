// RUN: kolam-opt %s --kolam-print-block-graph -o /dev/null | FileCheck %s
// Two products, one behind the other: what a cell reads again, and accumulators carried.
// Traced from:
//
//   def model(As, Bs, Cs):
//       def per_a(a_row):
//           def per_c(c_col):
//               def outer(d, bc):
//                   b_col, c = bc
//                   p = ops.fold(lambda acc, ab: acc + ab[0] @ ab[1], ops.zip(a_row, b_col), initializer=ops.zeros(2, 2))
//                   return d + c @ p
//               return ops.fold(outer, ops.zip(Bs, c_col), initializer=ops.zeros(2, 2))
//           return ops.map(per_c, Cs)
//       return ops.map(per_a, As)

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg4
// CHECK-NEXT: L2: length of arg2
// CHECK-NEXT: L3: length of arg0[i0]
// CHECK-NEXT: L4: length of arg2[i2]
// CHECK-NEXT: b0.0: float32[2, 2]
// CHECK-NEXT: b1.0: float32[2, 2]
// CHECK-NEXT: arg0: [L0][L3]float32[2, 2]
// CHECK-NEXT: arg2: [L2][L4]float32[2, 2]
// CHECK-NEXT: arg4: [L1][L2]float32[2, 2]
// CHECK-NEXT: result0: [L0][L1]float32[2, 2]
// CHECK-NEXT: b0: map i0 < L0, map i1 < L1, fold i2 < L2, fold i3 < L3
// CHECK-NEXT:   cell: contract add
// CHECK-NEXT:   reads arg0[i0][i3]; again along i1, i2
// CHECK-NEXT:   reads arg2[i2][i3]; again along i0, i1
// CHECK-NEXT:   reads constant where i3 = 0 | b0.0[i0][i1][i2][i3 - 1] where i3 >= 1
// CHECK-NEXT:   writes b0.0[i0][i1][i2][i3]
// CHECK-NEXT:   needs (0, 0, 0, 1)
// CHECK-NEXT: b1: map i0 < L0, map i1 < L1, fold i2 < L2
// CHECK-NEXT:   cell: contract add
// CHECK-NEXT:   reads arg4[i1][i2]; again along i0
// CHECK-NEXT:   reads b0.0[i0][i1][i2][L3 - 1] where L3 != 0 | constant where L3 = 0
// CHECK-NEXT:   reads constant where i2 = 0 | b1.0[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   writes b1.0[i0][i1][i2]
// CHECK-NEXT:   writes result0[i0][i1] = b1.0 where i2 = L2 - 1
// CHECK-NEXT:   needs (0, 0, 1)
// CHECK-NEXT: result0 shows constant where L2 = 0

module {
  func.func @main(%arg0: tensor<?x2x2xf32, #kolam.extents<["n0", "2", "2"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?x2x2xf32, #kolam.extents<["n2", "2", "2"]>>, %arg3: tensor<?xi64, #kolam.extents<["n3"]>>, %arg4: tensor<?x2x2xf32, #kolam.extents<["n4", "2", "2"]>>, %arg5: tensor<?xi64, #kolam.extents<["n5"]>>) -> (tensor<?x2x2xf32, #kolam.extents<["_1", "2", "2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?x2x2xf32, #kolam.extents<["n0", "2", "2"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<2x2xf32>>>
    %1 = kolam.pack %arg2 offsets(%arg3) : (tensor<?x2x2xf32, #kolam.extents<["n2", "2", "2"]>>, tensor<?xi64, #kolam.extents<["n3"]>>) -> !kolam.list<!kolam.list<tensor<2x2xf32>>>
    %2 = kolam.pack %arg4 offsets(%arg5) : (tensor<?x2x2xf32, #kolam.extents<["n4", "2", "2"]>>, tensor<?xi64, #kolam.extents<["n5"]>>) -> !kolam.list<!kolam.list<tensor<2x2xf32>>>
    %3 = kolam.list_map over(%0) captures(%2, %1) : (!kolam.list<!kolam.list<tensor<2x2xf32>>>, !kolam.list<!kolam.list<tensor<2x2xf32>>>, !kolam.list<!kolam.list<tensor<2x2xf32>>>) -> !kolam.list<!kolam.list<tensor<2x2xf32>>> {
    ^bb0(%arg6: !kolam.list<tensor<2x2xf32>>, %arg7: !kolam.list<!kolam.list<tensor<2x2xf32>>>, %arg8: !kolam.list<!kolam.list<tensor<2x2xf32>>>):
      %4 = kolam.list_map over(%arg7) captures(%arg8, %arg6) : (!kolam.list<!kolam.list<tensor<2x2xf32>>>, !kolam.list<!kolam.list<tensor<2x2xf32>>>, !kolam.list<tensor<2x2xf32>>) -> !kolam.list<tensor<2x2xf32>> {
      ^bb0(%arg9: !kolam.list<tensor<2x2xf32>>, %arg10: !kolam.list<!kolam.list<tensor<2x2xf32>>>, %arg11: !kolam.list<tensor<2x2xf32>>):
        %5 = kolam.constant dense<0.000000e+00> : tensor<f32>
        %6 = kolam.broadcast %5 [] : tensor<f32> -> tensor<2x2xf32>
        %7:2 = kolam.list_scan carry(%6) over(%arg10, %arg9) captures(%arg11) reverse false associative false : (tensor<2x2xf32>, !kolam.list<!kolam.list<tensor<2x2xf32>>>, !kolam.list<tensor<2x2xf32>>, !kolam.list<tensor<2x2xf32>>) -> (tensor<2x2xf32>, !kolam.list<tensor<2x2xf32>>) {
        ^bb0(%arg12: tensor<2x2xf32>, %arg13: !kolam.list<tensor<2x2xf32>>, %arg14: tensor<2x2xf32>, %arg15: !kolam.list<tensor<2x2xf32>>):
          %8 = kolam.constant dense<0.000000e+00> : tensor<f32>
          %9 = kolam.broadcast %8 [] : tensor<f32> -> tensor<2x2xf32>
          %10:2 = kolam.list_scan carry(%9) over(%arg15, %arg13) reverse false associative false : (tensor<2x2xf32>, !kolam.list<tensor<2x2xf32>>, !kolam.list<tensor<2x2xf32>>) -> (tensor<2x2xf32>, !kolam.list<tensor<2x2xf32>>) {
          ^bb0(%arg16: tensor<2x2xf32>, %arg17: tensor<2x2xf32>, %arg18: tensor<2x2xf32>):
            %13 = kolam.contract "mk,kn->mn" %arg17, %arg18 <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
            %14 = kolam.elementwise "add" %arg16, %13 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
            kolam.yield %14 : tensor<2x2xf32>
          }
          %11 = kolam.contract "mk,kn->mn" %arg14, %10#0 <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
          %12 = kolam.elementwise "add" %arg12, %11 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
          kolam.yield %12 : tensor<2x2xf32>
        }
        kolam.yield %7#0 : tensor<2x2xf32>
      }
      kolam.yield %4 : !kolam.list<tensor<2x2xf32>>
    }
    %leaves, %offsets = kolam.unpack %3 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<2x2xf32>>>) -> (tensor<?x2x2xf32, #kolam.extents<["_1", "2", "2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?x2x2xf32, #kolam.extents<["_1", "2", "2"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
