// RUN: kolam-opt %s --kolam-print-block-graph -o /dev/null | FileCheck %s
// Attention by blocks of keys, whose state is (largest, sum, output).
// Traced from:
//
//   def model(qs, ks, vs):
//       def block(q, ks, vs):
//           def step(state, kv):
//               m, s, o = state
//               k, v = kv
//               a = q @ k.T
//               b = ko.max(a, axis=1, keepdims=True)
//               m2 = ko.maximum(m, b)
//               p = ko.exp(a - m2)
//               e = ko.exp(m - m2)
//               return m2, s * e + ko.sum(p, axis=1, keepdims=True), o * e + p @ v
//           m, s, o = ops.fold(step, ops.zip(ks, vs), initializer=(ko.full((2,1), -1e30), ops.zeros(2,1), ops.zeros(2,4)))
//           return o / s
//       return ops.map(lambda b: ops.map(lambda h: ops.map(lambda q: block(q, h[1], h[2]), h[0]), ops.zip(*b)), ops.zip(qs, ks, vs))

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg0[i0]
// CHECK-NEXT: L2: length of arg0[i0][i1]
// CHECK-NEXT: L3: length of arg3[i0][i1]
// CHECK-NEXT: b0.0: float32[2, 1]
// CHECK-NEXT: b0.1: float32[2, 1]
// CHECK-NEXT: b0.2: float32[2, 4]
// CHECK-NEXT: b1.0: float32[2, 4]
// CHECK-NEXT: arg3: [L0][L1][L3]float32[2, 4]
// CHECK-NEXT: arg0: [L0][L1][L2]float32[2, 4]
// CHECK-NEXT: arg6: [L0][L1][L3]float32[2, 4]
// CHECK-NEXT: result0: [L0][L1][L2]float32[2, 4]
// CHECK-NEXT: b0: map i0 < L0, map i1 < L1, map i2 < L2, fold i3 < L3
// CHECK-NEXT:   cell: transpose contract reduce
// CHECK-NEXT:   reads arg3[i0][i1][i3]; again along i2
// CHECK-NEXT:   reads arg0[i0][i1][i2]; again along i3
// CHECK-NEXT:   reads constant where i3 = 0 | b0.0[i0][i1][i2][i3 - 1] where i3 >= 1
// CHECK-NEXT:   reads constant where i3 = 0 | b0.1[i0][i1][i2][i3 - 1] where i3 >= 1
// CHECK-NEXT:   reads constant where i3 = 0 | b0.2[i0][i1][i2][i3 - 1] where i3 >= 1
// CHECK-NEXT:   reads arg6[i0][i1][i3]; again along i2
// CHECK-NEXT:   writes b0.0[i0][i1][i2][i3]
// CHECK-NEXT:   writes b0.1[i0][i1][i2][i3]
// CHECK-NEXT:   writes b0.2[i0][i1][i2][i3]
// CHECK-NEXT:   needs (0, 0, 0, 1)
// CHECK-NEXT: b1: map i0 < L0, map i1 < L1, map i2 < L2
// CHECK-NEXT:   cell: broadcast divide
// CHECK-NEXT:   reads b0.1[i0][i1][i2][L3 - 1] where L3 != 0 | constant where L3 = 0
// CHECK-NEXT:   reads b0.2[i0][i1][i2][L3 - 1] where L3 != 0 | constant where L3 = 0
// CHECK-NEXT:   writes b1.0[i0][i1][i2]
// CHECK-NEXT:   writes result0[i0][i1][i2] = b1.0

module {
  func.func @main(%arg0: tensor<?x2x4xf32, #kolam.extents<["n0", "2", "4"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?xi64, #kolam.extents<["n2"]>>, %arg3: tensor<?x2x4xf32, #kolam.extents<["n3", "2", "4"]>>, %arg4: tensor<?xi64, #kolam.extents<["n4"]>>, %arg5: tensor<?xi64, #kolam.extents<["n5"]>>, %arg6: tensor<?x2x4xf32, #kolam.extents<["n6", "2", "4"]>>, %arg7: tensor<?xi64, #kolam.extents<["n7"]>>, %arg8: tensor<?xi64, #kolam.extents<["n8"]>>) -> (tensor<?x2x4xf32, #kolam.extents<["_2", "2", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1, %arg2) : (tensor<?x2x4xf32, #kolam.extents<["n0", "2", "4"]>>, tensor<?xi64, #kolam.extents<["n1"]>>, tensor<?xi64, #kolam.extents<["n2"]>>) -> !kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>
    %1 = kolam.pack %arg3 offsets(%arg4, %arg5) : (tensor<?x2x4xf32, #kolam.extents<["n3", "2", "4"]>>, tensor<?xi64, #kolam.extents<["n4"]>>, tensor<?xi64, #kolam.extents<["n5"]>>) -> !kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>
    %2 = kolam.pack %arg6 offsets(%arg7, %arg8) : (tensor<?x2x4xf32, #kolam.extents<["n6", "2", "4"]>>, tensor<?xi64, #kolam.extents<["n7"]>>, tensor<?xi64, #kolam.extents<["n8"]>>) -> !kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>
    %3 = kolam.list_map over(%0, %1, %2) : (!kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>, !kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>, !kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>) -> !kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>> {
    ^bb0(%arg9: !kolam.list<!kolam.list<tensor<2x4xf32>>>, %arg10: !kolam.list<!kolam.list<tensor<2x4xf32>>>, %arg11: !kolam.list<!kolam.list<tensor<2x4xf32>>>):
      %4 = kolam.list_map over(%arg9, %arg10, %arg11) : (!kolam.list<!kolam.list<tensor<2x4xf32>>>, !kolam.list<!kolam.list<tensor<2x4xf32>>>, !kolam.list<!kolam.list<tensor<2x4xf32>>>) -> !kolam.list<!kolam.list<tensor<2x4xf32>>> {
      ^bb0(%arg12: !kolam.list<tensor<2x4xf32>>, %arg13: !kolam.list<tensor<2x4xf32>>, %arg14: !kolam.list<tensor<2x4xf32>>):
        %5 = kolam.list_map over(%arg12) captures(%arg13, %arg14) : (!kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>) -> !kolam.list<tensor<2x4xf32>> {
        ^bb0(%arg15: tensor<2x4xf32>, %arg16: !kolam.list<tensor<2x4xf32>>, %arg17: !kolam.list<tensor<2x4xf32>>):
          %6 = kolam.constant dense<-1.000000e+30> : tensor<f32>
          %7 = kolam.broadcast %6 [] : tensor<f32> -> tensor<2x1xf32>
          %8 = kolam.constant dense<0.000000e+00> : tensor<f32>
          %9 = kolam.broadcast %8 [] : tensor<f32> -> tensor<2x1xf32>
          %10 = kolam.constant dense<0.000000e+00> : tensor<f32>
          %11 = kolam.broadcast %10 [] : tensor<f32> -> tensor<2x4xf32>
          %12:6 = kolam.list_scan carry(%7, %9, %11) over(%arg16, %arg17) captures(%arg15) reverse false associative false : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x4xf32>, !kolam.list<tensor<2x4xf32>>, !kolam.list<tensor<2x4xf32>>, tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x4xf32>, !kolam.list<tensor<2x1xf32>>, !kolam.list<tensor<2x1xf32>>, !kolam.list<tensor<2x4xf32>>) {
          ^bb0(%arg18: tensor<2x1xf32>, %arg19: tensor<2x1xf32>, %arg20: tensor<2x4xf32>, %arg21: tensor<2x4xf32>, %arg22: tensor<2x4xf32>, %arg23: tensor<2x4xf32>):
            %15 = kolam.transpose %arg21 [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
            %16 = kolam.contract "mk,kn->mn" %arg23, %15 <"lanes<64>, chunk<4096>"> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
            %17 = kolam.reduce "maximum" %16 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>) -> tensor<2xf32>
            %18 = kolam.expand_dims %17 [1] : tensor<2xf32> -> tensor<2x1xf32>
            %19 = kolam.elementwise "maximum" %arg18, %18 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
            %20 = kolam.broadcast %19 [0, 1] : tensor<2x1xf32> -> tensor<2x2xf32>
            %21 = kolam.elementwise "subtract" %16, %20 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
            %22 = kolam.elementwise "exp" %21 : (tensor<2x2xf32>) -> tensor<2x2xf32>
            %23 = kolam.elementwise "subtract" %arg18, %19 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
            %24 = kolam.elementwise "exp" %23 : (tensor<2x1xf32>) -> tensor<2x1xf32>
            %25 = kolam.elementwise "multiply" %arg19, %24 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
            %26 = kolam.reduce "add" %22 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>) -> tensor<2xf32>
            %27 = kolam.expand_dims %26 [1] : tensor<2xf32> -> tensor<2x1xf32>
            %28 = kolam.elementwise "add" %25, %27 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
            %29 = kolam.broadcast %24 [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
            %30 = kolam.elementwise "multiply" %arg20, %29 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
            %31 = kolam.contract "mk,kn->mn" %22, %arg22 <"lanes<64>, chunk<4096>"> : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
            %32 = kolam.elementwise "add" %30, %31 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
            kolam.yield %19, %28, %32 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x4xf32>
          }
          %13 = kolam.broadcast %12#1 [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
          %14 = kolam.elementwise "divide" %12#2, %13 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
          kolam.yield %14 : tensor<2x4xf32>
        }
        kolam.yield %5 : !kolam.list<tensor<2x4xf32>>
      }
      kolam.yield %4 : !kolam.list<!kolam.list<tensor<2x4xf32>>>
    }
    %leaves, %offsets:2 = kolam.unpack %3 symbols ["_0", "_1", "_2"] : (!kolam.list<!kolam.list<!kolam.list<tensor<2x4xf32>>>>) -> (tensor<?x2x4xf32, #kolam.extents<["_2", "2", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>)
    return %leaves, %offsets#0, %offsets#1 : tensor<?x2x4xf32, #kolam.extents<["_2", "2", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>
  }
}
