// RUN: kolam-opt %s "--kolam-print-block-graph=regions=true" -o /dev/null | FileCheck %s
// Dilated LSTM, two layers: maps of strided sub-lists, two regions in each.
// Traced from:
//
//   H = 4
//   def cell(state, x, W):
//       h, c = state
//       gates = ops.cat(x, h, axis=1) @ W
//       i, f, o = (ko.sigmoid(gates[:, k * H:(k + 1) * H]) for k in range(3))
//       c = f * c + i * ko.tanh(gates[:, 3 * H:])
//       return o * ko.tanh(c), c
//   def model(xss, h0, Ws):
//       def seq(xs):
//           for n, W in enumerate(Ws):
//               xs = ops.dilated_map(lambda part: ops.scan(cell, part, initializer=(h0, h0), W=W)[0], xs, 2 ** n)
//           return xs
//       return ops.map(seq, xss)

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg0[i0]
// CHECK-NEXT: b0.0: float32[1, 4]
// CHECK-NEXT: b0.1: float32[1, 4]
// CHECK-NEXT: b1.0: float32[1, 4]
// CHECK-NEXT: b1.1: float32[1, 4]
// CHECK-NEXT: arg0: [L0][L1]float32[1, 4]
// CHECK-NEXT: arg2: float32[1, 4]
// CHECK-NEXT: arg3: float32[8, 16]
// CHECK-NEXT: arg4: float32[8, 16]
// CHECK-NEXT: result0: [L0][L1]float32[1, 4]
// CHECK-NEXT: b0: map i0 < L0, map i1 < 1, scan i2 < max(0, L1 - i1)
// CHECK-NEXT:   cell: concat
// CHECK-NEXT:   reads arg0[i0][i1 + i2]
// CHECK-NEXT:   reads arg2 where i2 = 0 | b0.1[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   reads arg3; again along i0, i1, i2
// CHECK-NEXT:   reads arg2 where i2 = 0 | b0.0[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   writes b0.0[i0][i1][i2]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]
// CHECK-NEXT:   needs (0, 0, 1)
// CHECK-NEXT: b1: map i0 < L0, map i1 < 2, scan i2 < ceildiv(max(0, L1 - i1), 2)
// CHECK-NEXT:   cell: concat
// CHECK-NEXT:   reads b0.1[i0][0][i1 + 2*i2]
// CHECK-NEXT:   reads arg2 where i2 = 0 | b1.1[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   reads arg4; again along i0, i1, i2
// CHECK-NEXT:   reads arg2 where i2 = 0 | b1.0[i0][i1][i2 - 1] where i2 >= 1
// CHECK-NEXT:   writes b1.0[i0][i1][i2]
// CHECK-NEXT:   writes b1.1[i0][i1][i2]
// CHECK-NEXT:   writes result0[i0][i1 + 2*i2] = b1.1
// CHECK-NEXT:   needs (0, 0, 1)
// CHECK-NEXT: region b0(*, *, 0)
// CHECK-NEXT:   reads arg0[i0][i1 + i2]  ->  arg0[t0][t1 + t2]
// CHECK-NEXT:   reads arg2  ->  arg2
// CHECK-NEXT:   reads arg3  ->  arg3
// CHECK-NEXT:   reads arg2  ->  arg2
// CHECK-NEXT:   writes b0.0[i0][i1][i2]  ->  b0.0[t0][t1][t2]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]  ->  b0.1[t0][t1][t2]
// CHECK-NEXT:   order t0 = i0, t1 = i1, t2 = i2; all parallel
// CHECK-NEXT:   loops 0 <= t0 < L0; 0 <= t1 < 1; 0 <= t2 < 1, where all have one L1
// CHECK-NEXT: region b0(*, *, >0)
// CHECK-NEXT:   reads arg0[i0][i1 + i2]  ->  arg0[t1][t0 + t2]
// CHECK-NEXT:   reads b0.1[i0][i1][i2 - 1]  ->  b0.1[t1][t2][t0 - 1]
// CHECK-NEXT:   reads arg3  ->  arg3
// CHECK-NEXT:   reads b0.0[i0][i1][i2 - 1]  ->  b0.0[t1][t2][t0 - 1]
// CHECK-NEXT:   writes b0.0[i0][i1][i2]  ->  b0.0[t1][t2][t0]
// CHECK-NEXT:   writes b0.1[i0][i1][i2]  ->  b0.1[t1][t2][t0]
// CHECK-NEXT:   needs (0, 0, 1)
// CHECK-NEXT:   order t0 = i2, t1 = i0, t2 = i1; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < max(0, L1 - i1); 0 <= t1 < L0; 0 <= t2 < 1, where all have one L1
// CHECK-NEXT: region b1(*, *, 0)
// CHECK-NEXT:   reads b0.1[i0][0][i1 + 2*i2]  ->  b0.1[t0][0][t1 + 2*t2]
// CHECK-NEXT:   reads arg2  ->  arg2
// CHECK-NEXT:   reads arg4  ->  arg4
// CHECK-NEXT:   reads arg2  ->  arg2
// CHECK-NEXT:   writes b1.0[i0][i1][i2]  ->  b1.0[t0][t1][t2]
// CHECK-NEXT:   writes b1.1[i0][i1][i2]  ->  b1.1[t0][t1][t2]
// CHECK-NEXT:   writes result0[i0][i1 + 2*i2]  ->  result0[t0][t1 + 2*t2]
// CHECK-NEXT:   order t0 = i0, t1 = i1, t2 = i2; all parallel
// CHECK-NEXT:   loops 0 <= t0 < L0; 0 <= t1 < 2; 0 <= t2 < 1, where all have one L1
// CHECK-NEXT: region b1(*, *, >0)
// CHECK-NEXT:   reads b0.1[i0][0][i1 + 2*i2]  ->  b0.1[t1][0][2*t0 + t2]
// CHECK-NEXT:   reads b1.1[i0][i1][i2 - 1]  ->  b1.1[t1][t2][t0 - 1]
// CHECK-NEXT:   reads arg4  ->  arg4
// CHECK-NEXT:   reads b1.0[i0][i1][i2 - 1]  ->  b1.0[t1][t2][t0 - 1]
// CHECK-NEXT:   writes b1.0[i0][i1][i2]  ->  b1.0[t1][t2][t0]
// CHECK-NEXT:   writes b1.1[i0][i1][i2]  ->  b1.1[t1][t2][t0]
// CHECK-NEXT:   writes result0[i0][i1 + 2*i2]  ->  result0[t1][2*t0 + t2]
// CHECK-NEXT:   needs (0, 0, 1)
// CHECK-NEXT:   order t0 = i2, t1 = i0, t2 = i1; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < ceildiv(max(0, L1 - i1), 2); 0 <= t1 < L0; 0 <= t2 < 2, where all have one L1

module {
  func.func @main(%arg0: tensor<?x1x4xf32, #kolam.extents<["n0", "1", "4"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<1x4xf32>, %arg3: tensor<8x16xf32>, %arg4: tensor<8x16xf32>) -> (tensor<?x1x4xf32, #kolam.extents<["_1", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?x1x4xf32, #kolam.extents<["n0", "1", "4"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>>
    %1 = kolam.list_map over(%0) captures(%arg2, %arg3, %arg4) : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, tensor<1x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>> {
    ^bb0(%arg5: !kolam.list<tensor<1x4xf32>>, %arg6: tensor<1x4xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<8x16xf32>):
      %2 = kolam.access %arg5 lengths ["1", "max(0, L - j0)"] index ["j0 + j1"] : (!kolam.list<tensor<1x4xf32>>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>>
      %3 = kolam.list_map over(%2) captures(%arg6, %arg7) : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, tensor<1x4xf32>, tensor<8x16xf32>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>> {
      ^bb0(%arg9: !kolam.list<tensor<1x4xf32>>, %arg10: tensor<1x4xf32>, %arg11: tensor<8x16xf32>):
        %8:4 = kolam.list_scan carry(%arg10, %arg10) over(%arg9) captures(%arg11) reverse false associative false : (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, tensor<8x16xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>) {
        ^bb0(%arg12: tensor<1x4xf32>, %arg13: tensor<1x4xf32>, %arg14: tensor<1x4xf32>, %arg15: tensor<8x16xf32>):
          %9 = kolam.concat %arg14, %arg12 dim 1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
          %10 = kolam.contract "mk,kn->mn" %9, %arg15 <"chain<8192>"> : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
          %11 = kolam.slice %10 <["0", "0"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %12 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %13 = kolam.elementwise "negative" %11 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %14 = kolam.elementwise "exp" %13 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %15 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %16 = kolam.broadcast %15 [] : tensor<f32> -> tensor<1x4xf32>
          %17 = kolam.elementwise "add" %16, %14 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %18 = kolam.broadcast %12 [] : tensor<f32> -> tensor<1x4xf32>
          %19 = kolam.elementwise "divide" %18, %17 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %20 = kolam.slice %10 <["0", "4"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %21 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %22 = kolam.elementwise "negative" %20 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %23 = kolam.elementwise "exp" %22 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %24 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %25 = kolam.broadcast %24 [] : tensor<f32> -> tensor<1x4xf32>
          %26 = kolam.elementwise "add" %25, %23 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %27 = kolam.broadcast %21 [] : tensor<f32> -> tensor<1x4xf32>
          %28 = kolam.elementwise "divide" %27, %26 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %29 = kolam.slice %10 <["0", "8"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %30 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %31 = kolam.elementwise "negative" %29 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %32 = kolam.elementwise "exp" %31 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %33 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %34 = kolam.broadcast %33 [] : tensor<f32> -> tensor<1x4xf32>
          %35 = kolam.elementwise "add" %34, %32 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %36 = kolam.broadcast %30 [] : tensor<f32> -> tensor<1x4xf32>
          %37 = kolam.elementwise "divide" %36, %35 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %38 = kolam.elementwise "multiply" %28, %arg13 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %39 = kolam.slice %10 <["0", "12"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %40 = kolam.elementwise "tanh" %39 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %41 = kolam.elementwise "multiply" %19, %40 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %42 = kolam.elementwise "add" %38, %41 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %43 = kolam.elementwise "tanh" %42 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %44 = kolam.elementwise "multiply" %37, %43 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          kolam.yield %44, %42 : tensor<1x4xf32>, tensor<1x4xf32>
        }
        kolam.yield %8#2 : !kolam.list<tensor<1x4xf32>>
      }
      %4 = kolam.access %3 lengths ["N"] index ["0", "j0"] : (!kolam.list<!kolam.list<tensor<1x4xf32>>>) -> !kolam.list<tensor<1x4xf32>>
      %5 = kolam.access %4 lengths ["2", "ceildiv(max(0, L - j0), 2)"] index ["j0 + 2*j1"] : (!kolam.list<tensor<1x4xf32>>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>>
      %6 = kolam.list_map over(%5) captures(%arg6, %arg8) : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, tensor<1x4xf32>, tensor<8x16xf32>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>> {
      ^bb0(%arg9: !kolam.list<tensor<1x4xf32>>, %arg10: tensor<1x4xf32>, %arg11: tensor<8x16xf32>):
        %8:4 = kolam.list_scan carry(%arg10, %arg10) over(%arg9) captures(%arg11) reverse false associative false : (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, tensor<8x16xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>) {
        ^bb0(%arg12: tensor<1x4xf32>, %arg13: tensor<1x4xf32>, %arg14: tensor<1x4xf32>, %arg15: tensor<8x16xf32>):
          %9 = kolam.concat %arg14, %arg12 dim 1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
          %10 = kolam.contract "mk,kn->mn" %9, %arg15 <"chain<8192>"> : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
          %11 = kolam.slice %10 <["0", "0"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %12 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %13 = kolam.elementwise "negative" %11 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %14 = kolam.elementwise "exp" %13 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %15 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %16 = kolam.broadcast %15 [] : tensor<f32> -> tensor<1x4xf32>
          %17 = kolam.elementwise "add" %16, %14 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %18 = kolam.broadcast %12 [] : tensor<f32> -> tensor<1x4xf32>
          %19 = kolam.elementwise "divide" %18, %17 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %20 = kolam.slice %10 <["0", "4"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %21 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %22 = kolam.elementwise "negative" %20 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %23 = kolam.elementwise "exp" %22 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %24 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %25 = kolam.broadcast %24 [] : tensor<f32> -> tensor<1x4xf32>
          %26 = kolam.elementwise "add" %25, %23 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %27 = kolam.broadcast %21 [] : tensor<f32> -> tensor<1x4xf32>
          %28 = kolam.elementwise "divide" %27, %26 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %29 = kolam.slice %10 <["0", "8"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %30 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %31 = kolam.elementwise "negative" %29 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %32 = kolam.elementwise "exp" %31 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %33 = kolam.constant dense<1.000000e+00> : tensor<f32>
          %34 = kolam.broadcast %33 [] : tensor<f32> -> tensor<1x4xf32>
          %35 = kolam.elementwise "add" %34, %32 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %36 = kolam.broadcast %30 [] : tensor<f32> -> tensor<1x4xf32>
          %37 = kolam.elementwise "divide" %36, %35 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %38 = kolam.elementwise "multiply" %28, %arg13 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %39 = kolam.slice %10 <["0", "12"]> [1, 1] : tensor<1x16xf32> -> tensor<1x4xf32>
          %40 = kolam.elementwise "tanh" %39 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %41 = kolam.elementwise "multiply" %19, %40 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %42 = kolam.elementwise "add" %38, %41 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %43 = kolam.elementwise "tanh" %42 : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %44 = kolam.elementwise "multiply" %37, %43 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          kolam.yield %44, %42 : tensor<1x4xf32>, tensor<1x4xf32>
        }
        kolam.yield %8#2 : !kolam.list<tensor<1x4xf32>>
      }
      %7 = kolam.access %6 lengths ["N"] index ["j0 - 2*floordiv(j0, 2)", "floordiv(j0, 2)"] : (!kolam.list<!kolam.list<tensor<1x4xf32>>>) -> !kolam.list<tensor<1x4xf32>>
      kolam.yield %7 : !kolam.list<tensor<1x4xf32>>
    }
    %leaves, %offsets = kolam.unpack %1 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<1x4xf32>>>) -> (tensor<?x1x4xf32, #kolam.extents<["_1", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    return %leaves, %offsets : tensor<?x1x4xf32, #kolam.extents<["_1", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>
  }
}
