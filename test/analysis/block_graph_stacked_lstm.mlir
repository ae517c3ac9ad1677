// RUN: kolam-opt %s "--kolam-print-block-graph=regions=true" -o /dev/null | FileCheck %s
// Stacked LSTM: the edges of its nest map x fold x scan, and its four regions before and after their loops are
// reordered.
// Traced from:
//
//   H = 4
//   def cell(state, x, W):
//       h, c = state
//       gates = ops.cat(x, h, axis=1) @ W
//       i, f, o = (ko.sigmoid(gates[:, k * H:(k + 1) * H]) for k in range(3))
//       c = f * c + i * ko.tanh(gates[:, 3 * H:])
//       return o * ko.tanh(c), c
//   def layer(xs, W, h0):
//       return ops.scan(cell, xs, initializer=(h0, h0), W=W)[0]
//   def model(xss, h0s, Ws):
//       return ops.map(lambda z: ops.fold(layer, Ws, initializer=z[0], h0=z[1]), ops.zip(xss, h0s))

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg3
// CHECK-NEXT: L2: length of arg0[i0]
// CHECK-NEXT: b0.0: float32[1, 4]
// CHECK-NEXT: b0.1: float32[1, 4]
// CHECK-NEXT: arg0: [L0][L2]float32[1, 4]
// CHECK-NEXT: arg2: [L0]float32[1, 4]
// CHECK-NEXT: arg3: [L1]float32[8, 16]
// CHECK-NEXT: result0: [L0][L2]float32[1, 4]
// CHECK-NEXT: b0: map i0 < L0, fold i1 < L1, scan i2 < L2
// CHECK-NEXT:   cell: concat
// CHECK-NEXT:   reads arg0[i0][i2] where i1 = 0 | b0.1[i0][i1 - 1][i2] where i1 >= 1
// CHECK-NEXT:   reads arg2[i0] where i2 = 0 | b0.1[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   reads arg3[i1]; again along i0, i2
// CHECK-NEXT:   reads arg2[i0] where i2 = 0 | b0.0[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   writes b0.0[i0][i1][i2]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]
// CHECK-NEXT:   writes result0[i0][i2] = b0.1 where i1 = L1 - 1
// CHECK-NEXT:   needs (0, 1, 0) (0, 0, 1)
// CHECK-NEXT: result0 shows arg0[k0][k1] where L1 = 0
// CHECK-NEXT: region b0(*, 0, 0)
// CHECK-NEXT:   reads arg0[i0][i2]  ->  arg0[t0][t2]
// CHECK-NEXT:   reads arg2[i0]  ->  arg2[t0]
// CHECK-NEXT:   reads arg3[i1]  ->  arg3[t1]
// CHECK-NEXT:   reads arg2[i0]  ->  arg2[t0]
// CHECK-NEXT:   writes b0.0[i0][i1][i2]  ->  b0.0[t0][t1][t2]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]  ->  b0.1[t0][t1][t2]
// CHECK-NEXT:   writes result0[i0][i2] where i1 = L1 - 1  ->  result0[t0][t2] where t1 = L1 - 1
// CHECK-NEXT:   order t0 = i0, t1 = i1, t2 = i2; all parallel
// CHECK-NEXT:   loops 0 <= t0 < L0; 0 <= t1 < 1; 0 <= t2 < 1, where all have one L2
// CHECK-NEXT: region b0(*, 0, >0)
// CHECK-NEXT:   reads arg0[i0][i2]  ->  arg0[t2][t0]
// CHECK-NEXT:   reads b0.1[i0][i1][i2 - 1]  ->  b0.1[t2][t1][t0 - 1]
// CHECK-NEXT:   reads arg3[i1]  ->  arg3[t1]
// CHECK-NEXT:   reads b0.0[i0][i1][i2 - 1]  ->  b0.0[t2][t1][t0 - 1]
// CHECK-NEXT:   writes b0.0[i0][i1][i2]  ->  b0.0[t2][t1][t0]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]  ->  b0.1[t2][t1][t0]
// CHECK-NEXT:   writes result0[i0][i2] where i1 = L1 - 1  ->  result0[t2][t0] where t1 = L1 - 1
// CHECK-NEXT:   needs (0, 0, 1)
// CHECK-NEXT:   order t0 = i2, t1 = i1, t2 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L2; 0 <= t1 < 1; 0 <= t2 < L0, where all have one L2
// CHECK-NEXT: region b0(*, >0, 0)
// CHECK-NEXT:   reads b0.1[i0][i1 - 1][i2]  ->  b0.1[t2][t0 - 1][t1]
// CHECK-NEXT:   reads arg2[i0]  ->  arg2[t2]
// CHECK-NEXT:   reads arg3[i1]  ->  arg3[t0]
// CHECK-NEXT:   reads arg2[i0]  ->  arg2[t2]
// CHECK-NEXT:   writes b0.0[i0][i1][i2]  ->  b0.0[t2][t0][t1]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]  ->  b0.1[t2][t0][t1]
// CHECK-NEXT:   writes result0[i0][i2] where i1 = L1 - 1  ->  result0[t2][t1] where t0 = L1 - 1
// CHECK-NEXT:   needs (0, 1, 0)
// CHECK-NEXT:   order t0 = i1, t1 = i2, t2 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L1; 0 <= t1 < 1; 0 <= t2 < L0, where all have one L2
// CHECK-NEXT: region b0(*, >0, >0)
// CHECK-NEXT:   reads b0.1[i0][i1 - 1][i2]  ->  b0.1[t2][t1 - 1][t0 - t1]
// CHECK-NEXT:   reads b0.1[i0][i1][i2 - 1]  ->  b0.1[t2][t1][t0 - t1 - 1]
// CHECK-NEXT:   reads arg3[i1]  ->  arg3[t1]
// CHECK-NEXT:   reads b0.0[i0][i1][i2 - 1]  ->  b0.0[t2][t1][t0 - t1 - 1]
// CHECK-NEXT:   writes b0.0[i0][i1][i2]  ->  b0.0[t2][t1][t0 - t1]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]  ->  b0.1[t2][t1][t0 - t1]
// CHECK-NEXT:   writes result0[i0][i2] where i1 = L1 - 1  ->  result0[t2][t0 - t1] where t1 = L1 - 1
// CHECK-NEXT:   needs (0, 1, 0) (0, 0, 1)
// CHECK-NEXT:   order t0 = i1 + i2, t1 = i1, t2 = i0; t0 runs in order
// CHECK-NEXT:   loops 2 <= t0 < L1 + L2 - 1; max(1, t0 - L2 + 1) <= t1 < min(t0, L1); 0 <= t2 < L0, where all have one L2

module {
  func.func @main(%arg0: tensor<?x1x4xf32, #kolam.extents<["n0", "1", "4"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?x1x4xf32, #kolam.extents<["n2", "1", "4"]>>, %arg3: tensor<?x8x16xf32, #kolam.extents<["n3", "8", "16"]>>) -> (tensor<?x1x4xf32, #kolam.extents<["_1", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?x1x4xf32, #kolam.extents<["n0", "1", "4"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>>
    %1 = kolam.pack %arg2 : (tensor<?x1x4xf32, #kolam.extents<["n2", "1", "4"]>>) -> !kolam.list<tensor<1x4xf32>>
    %2 = kolam.pack %arg3 : (tensor<?x8x16xf32, #kolam.extents<["n3", "8", "16"]>>) -> !kolam.list<tensor<8x16xf32>>
    %3 = kolam.list_map over(%0, %1) captures(%2) : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<8x16xf32>>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>> {
    ^bb0(%arg4: !kolam.list<tensor<1x4xf32>>, %arg5: tensor<1x4xf32>, %arg6: !kolam.list<tensor<8x16xf32>>):
      %4:2 = kolam.list_scan carry(%arg4) over(%arg6) captures(%arg5) reverse false associative false : (!kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<8x16xf32>>, tensor<1x4xf32>) -> (!kolam.list<tensor<1x4xf32>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>) {
      ^bb0(%arg7: !kolam.list<tensor<1x4xf32>>, %arg8: tensor<8x16xf32>, %arg9: tensor<1x4xf32>):
        %5:4 = kolam.list_scan carry(%arg9, %arg9) over(%arg7) captures(%arg8) reverse false associative false : (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, tensor<8x16xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>) {
        ^bb0(%arg10: tensor<1x4xf32>, %arg11: tensor<1x4xf32>, %arg12: tensor<1x4xf32>, %arg13: tensor<8x16xf32>):
          %6 = kolam.concat %arg12, %arg10 dim 1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
          %7 = kolam.contract "mk,kn->mn" %6, %arg13 <"chain<8192>"> : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
          %8 = kolam.slice %7 <["0", "0"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %9 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %10 = kolam.elementwise "negative" %8 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %11 = kolam.elementwise "exp" %10 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %12 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %13 = kolam.broadcast %12 [] : tensor<f32> -> tensor<1x4xf32>
          %14 = kolam.elementwise "add" %13, %11 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %15 = kolam.broadcast %9 [] : tensor<f32> -> tensor<1x4xf32>
          %16 = kolam.elementwise "divide" %15, %14 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %17 = kolam.slice %7 <["0", "4"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %18 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %19 = kolam.elementwise "negative" %17 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %20 = kolam.elementwise "exp" %19 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %21 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %22 = kolam.broadcast %21 [] : tensor<f32> -> tensor<1x4xf32>
          %23 = kolam.elementwise "add" %22, %20 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %24 = kolam.broadcast %18 [] : tensor<f32> -> tensor<1x4xf32>
          %25 = kolam.elementwise "divide" %24, %23 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %26 = kolam.slice %7 <["0", "8"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %27 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %28 = kolam.elementwise "negative" %26 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %29 = kolam.elementwise "exp" %28 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %30 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %31 = kolam.broadcast %30 [] : tensor<f32> -> tensor<1x4xf32>
          %32 = kolam.elementwise "add" %31, %29 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %33 = kolam.broadcast %27 [] : tensor<f32> -> tensor<1x4xf32>
          %34 = kolam.elementwise "divide" %33, %32 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %35 = kolam.elementwise "multiply" %25, %arg11 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %36 = kolam.slice %7 <["0", "12"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %37 = kolam.elementwise "tanh" %36 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %38 = kolam.elementwise "multiply" %16, %37 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %39 = kolam.elementwise "add" %35, %38 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %40 = kolam.elementwise "tanh" %39 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %41 = kolam.elementwise "multiply" %34, %40 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          kolam.yield %41, %39 : tensor<1x4xf32>, tensor<1x4xf32>
        }
        kolam.yield %5#2 : !kolam.list<tensor<1x4xf32>>
      }
      kolam.yield %4#0 : !kolam.list<tensor<1x4xf32>>
    }
    %leaves, %offsets = kolam.unpack %3 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<1x4xf32>>>) -> (tensor<?x1x4xf32, #kolam.extents<["_1", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?x1x4xf32, #kolam.extents<["_1", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
