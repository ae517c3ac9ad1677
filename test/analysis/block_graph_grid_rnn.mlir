// RUN: kolam-opt %s "--kolam-print-block-graph=regions=true" -o /dev/null | FileCheck %s
// The document's stacked grid RNN: eight regions; the last one's order and bounds.
// Traced from:
//
//   H = 4
//   def vanilla_cell(state, cur, rnn_params):
//       i2h, h2h, bias = rnn_params
//       return ops.tanh(cur @ i2h + state @ h2h + bias)
//   def grid_cell(state, cur_input, block_params):
//       _, state_y = state
//       state_x, (x_t, y_t) = cur_input
//       rnn_param_x, rnn_param_y = block_params
//       s = ops.cat(state_x, state_y, axis=1)
//       h_x = vanilla_cell(x_t, s, rnn_param_x)
//       h_y = vanilla_cell(y_t, s, rnn_param_y)
//       return h_x, h_y
//   def direction_y(state, cur_input, block_params):
//       state_xs, _ = state
//       zero = ops.zeros(1, H)
//       return ops.scan(grid_cell, ops.zip(state_xs, ops.zip(*cur_input)), initializer=(zero, zero), block_params=block_params)
//   def direction_x(state, block_params):
//       zeros = ops.repeat(ops.zeros(1, H), len(state[0][0]))
//       return ops.zip(*ops.scan(direction_y, state, initializer=(zeros, zeros), block_params=block_params))
//   def stacked(pair, rnn_params, semb, temb):
//       srcs, trgs = pair
//       src = ops.map(lambda word: ops.index(ops.slices(semb, axis=0), word), srcs)
//       trg = ops.map(lambda word: ops.index(ops.slices(temb, axis=0), word), trgs)
//       return ops.zip(*ops.fold(direction_x, rnn_params, initializer=ops.zip(*ops.product(src, trg))))
//   def model(src_batch, trg_batch, rnn_params, semb, temb):
//       return ops.map(lambda pair: stacked(pair, rnn_params, semb, temb), ops.zip(src_batch, trg_batch))

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg0[i0]
// CHECK-NEXT: L2: length of arg2[i0]
// CHECK-NEXT: L3: length of arg4
// CHECK-NEXT: data0: place given by b0.1[i0][i1]
// CHECK-NEXT: data1: place given by b1.1[i0][i1]
// CHECK-NEXT: b0.0: float32[9, 1, 4]
// CHECK-NEXT: b0.1: int64[]
// CHECK-NEXT: b1.0: float32[9, 1, 4]
// CHECK-NEXT: b1.1: int64[]
// CHECK-NEXT: b2.0: float32[1, 4]
// CHECK-NEXT: b2.1: float32[1, 4]
// CHECK-NEXT: arg10: float32[9, 4]
// CHECK-NEXT: arg0: [L0][L1]int32[]
// CHECK-NEXT: arg11: float32[9, 4]
// CHECK-NEXT: arg2: [L0][L2]int32[]
// CHECK-NEXT: arg4: [L3]float32[8, 4]
// CHECK-NEXT: arg5: [L3]float32[4, 4]
// CHECK-NEXT: arg6: [L3]float32[1, 4]
// CHECK-NEXT: arg7: [L3]float32[8, 4]
// CHECK-NEXT: arg8: [L3]float32[4, 4]
// CHECK-NEXT: arg9: [L3]float32[1, 4]
// CHECK-NEXT: result0: [L0][L2][L1]float32[1, 4]
// CHECK-NEXT: result1: [L0][L2][L1]float32[1, 4]
// CHECK-NEXT: b0: map i0 < L0, map i1 < L1
// CHECK-NEXT:   cell: expand_dims cast
// CHECK-NEXT:   reads arg10; again along i0, i1
// CHECK-NEXT:   reads arg0[i0][i1]
// CHECK-NEXT:   writes b0.0[i0][i1]
// CHECK-NEXT:   writes b0.1[i0][i1]
// CHECK-NEXT: b1: map i0 < L0, map i1 < L2
// CHECK-NEXT:   cell: expand_dims cast
// CHECK-NEXT:   reads arg11; again along i0, i1
// CHECK-NEXT:   reads arg2[i0][i1]
// CHECK-NEXT:   writes b1.0[i0][i1]
// CHECK-NEXT:   writes b1.1[i0][i1]
// CHECK-NEXT: b2: map i0 < L0, fold i1 < L3, scan i2 < L2, scan i3 < L1
// CHECK-NEXT:   cell: concat contract contract add add tanh contract contract add add tanh
// CHECK-NEXT:   reads constant where i2 = 0 | b2.0[i0][i1][i2 - 1][i3] where i2 >= 1
// CHECK-NEXT:   reads constant where i3 = 0 | b2.1[i0][i1][i2][i3 - 1] where i3 >= 1
// CHECK-NEXT:   reads arg4[i1]; again along i0, i2, i3
// CHECK-NEXT:   reads b0.0[i0][i3][data0(i0, i3)] where i1 = 0 | b2.0[i0][i1 - 1][i2][i3] where i1 >= 1
// CHECK-NEXT:   reads arg5[i1]; again along i0, i2, i3
// CHECK-NEXT:   reads arg6[i1]; again along i0, i2, i3
// CHECK-NEXT:   reads arg7[i1]; again along i0, i2, i3
// CHECK-NEXT:   reads b1.0[i0][i2][data1(i0, i2)] where i1 = 0 | b2.1[i0][i1 - 1][i2][i3] where i1 >= 1
// CHECK-NEXT:   reads arg8[i1]; again along i0, i2, i3
// CHECK-NEXT:   reads arg9[i1]; again along i0, i2, i3
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]
// CHECK-NEXT:   writes result0[i0][i2][i3] = b2.0 where i1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] = b2.1 where i1 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 1, 0) (0, 0, 0, 1) (0, 1, 0, 0)
// CHECK-NEXT: result0 shows b0.0[k0][k2][data0(k0, k2)] where L3 = 0
// CHECK-NEXT: result1 shows b1.0[k0][k1][data1(k0, k1)] where L3 = 0
// CHECK-NEXT: region b2(*, 0, 0, 0)
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t1]
// CHECK-NEXT:   reads b0.0[i0][i3][data0(i0, i3)]  ->  b0.0[t0][t3][data0(t0, t3)]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t1]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t1]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t1]
// CHECK-NEXT:   reads b1.0[i0][i2][data1(i0, i2)]  ->  b1.0[t0][t2][data1(t0, t2)]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t1]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t1]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t0][t1][t2][t3]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t0][t1][t2][t3]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t0][t2][t3] where t1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t0][t2][t3] where t1 = L3 - 1
// CHECK-NEXT:   order t0 = i0, t1 = i1, t2 = i2, t3 = i3; all parallel
// CHECK-NEXT:   loops 0 <= t0 < L0; 0 <= t1 < 1; 0 <= t2 < 1; 0 <= t3 < 1, where all have one L2, L1
// CHECK-NEXT: region b2(*, 0, 0, >0)
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads b2.1[i0][i1][i2][i3 - 1]  ->  b2.1[t3][t1][t2][t0 - 1]
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t1]
// CHECK-NEXT:   reads b0.0[i0][i3][data0(i0, i3)]  ->  b0.0[t3][t0][data0(t3, t0)]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t1]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t1]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t1]
// CHECK-NEXT:   reads b1.0[i0][i2][data1(i0, i2)]  ->  b1.0[t3][t2][data1(t3, t2)]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t1]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t1]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t1][t2][t0]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t1][t2][t0]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t2][t0] where t1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t2][t0] where t1 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 0, 1)
// CHECK-NEXT:   order t0 = i3, t1 = i1, t2 = i2, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L1; 0 <= t1 < 1; 0 <= t2 < 1; 0 <= t3 < L0, where all have one L2, L1
// CHECK-NEXT: region b2(*, 0, >0, 0)
// CHECK-NEXT:   reads b2.0[i0][i1][i2 - 1][i3]  ->  b2.0[t3][t1][t0 - 1][t2]
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t1]
// CHECK-NEXT:   reads b0.0[i0][i3][data0(i0, i3)]  ->  b0.0[t3][t2][data0(t3, t2)]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t1]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t1]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t1]
// CHECK-NEXT:   reads b1.0[i0][i2][data1(i0, i2)]  ->  b1.0[t3][t0][data1(t3, t0)]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t1]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t1]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t1][t0][t2]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t1][t0][t2]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t0][t2] where t1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t0][t2] where t1 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 1, 0)
// CHECK-NEXT:   order t0 = i2, t1 = i1, t2 = i3, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L2; 0 <= t1 < 1; 0 <= t2 < 1; 0 <= t3 < L0, where all have one L2, L1
// CHECK-NEXT: region b2(*, 0, >0, >0)
// CHECK-NEXT:   reads b2.0[i0][i1][i2 - 1][i3]  ->  b2.0[t3][t2][t1 - 1][t0 - t1]
// CHECK-NEXT:   reads b2.1[i0][i1][i2][i3 - 1]  ->  b2.1[t3][t2][t1][t0 - t1 - 1]
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t2]
// CHECK-NEXT:   reads b0.0[i0][i3][data0(i0, i3)]  ->  b0.0[t3][t0 - t1][data0(t3, t0 - t1)]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t2]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t2]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t2]
// CHECK-NEXT:   reads b1.0[i0][i2][data1(i0, i2)]  ->  b1.0[t3][t1][data1(t3, t1)]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t2]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t2]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t2][t1][t0 - t1]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t2][t1][t0 - t1]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t1][t0 - t1] where t2 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t1][t0 - t1] where t2 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 1, 0) (0, 0, 0, 1)
// CHECK-NEXT:   order t0 = i2 + i3, t1 = i2, t2 = i1, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 2 <= t0 < L1 + L2 - 1; max(1, t0 - L1 + 1) <= t1 < min(t0, L2); 0 <= t2 < 1; 0 <= t3 < L0, where all have one L2, L1
// CHECK-NEXT: region b2(*, >0, 0, 0)
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t0]
// CHECK-NEXT:   reads b2.0[i0][i1 - 1][i2][i3]  ->  b2.0[t3][t0 - 1][t1][t2]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t0]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t0]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t0]
// CHECK-NEXT:   reads b2.1[i0][i1 - 1][i2][i3]  ->  b2.1[t3][t0 - 1][t1][t2]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t0]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t0]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t0][t1][t2]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t0][t1][t2]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t1][t2] where t0 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t1][t2] where t0 = L3 - 1
// CHECK-NEXT:   needs (0, 1, 0, 0)
// CHECK-NEXT:   order t0 = i1, t1 = i2, t2 = i3, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L3; 0 <= t1 < 1; 0 <= t2 < 1; 0 <= t3 < L0, where all have one L2, L1
// CHECK-NEXT: region b2(*, >0, 0, >0)
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads b2.1[i0][i1][i2][i3 - 1]  ->  b2.1[t3][t1][t2][t0 - t1 - 1]
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t1]
// CHECK-NEXT:   reads b2.0[i0][i1 - 1][i2][i3]  ->  b2.0[t3][t1 - 1][t2][t0 - t1]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t1]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t1]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t1]
// CHECK-NEXT:   reads b2.1[i0][i1 - 1][i2][i3]  ->  b2.1[t3][t1 - 1][t2][t0 - t1]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t1]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t1]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t1][t2][t0 - t1]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t1][t2][t0 - t1]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t2][t0 - t1] where t1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t2][t0 - t1] where t1 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 0, 1) (0, 1, 0, 0)
// CHECK-NEXT:   order t0 = i1 + i3, t1 = i1, t2 = i2, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 2 <= t0 < L1 + L3 - 1; max(1, t0 - L1 + 1) <= t1 < min(t0, L3); 0 <= t2 < 1; 0 <= t3 < L0, where all have one L2, L1
// CHECK-NEXT: region b2(*, >0, >0, 0)
// CHECK-NEXT:   reads b2.0[i0][i1][i2 - 1][i3]  ->  b2.0[t3][t1][t0 - t1 - 1][t2]
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t1]
// CHECK-NEXT:   reads b2.0[i0][i1 - 1][i2][i3]  ->  b2.0[t3][t1 - 1][t0 - t1][t2]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t1]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t1]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t1]
// CHECK-NEXT:   reads b2.1[i0][i1 - 1][i2][i3]  ->  b2.1[t3][t1 - 1][t0 - t1][t2]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t1]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t1]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t1][t0 - t1][t2]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t1][t0 - t1][t2]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t0 - t1][t2] where t1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t0 - t1][t2] where t1 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 1, 0) (0, 1, 0, 0)
// CHECK-NEXT:   order t0 = i1 + i2, t1 = i1, t2 = i3, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 2 <= t0 < L2 + L3 - 1; max(1, t0 - L2 + 1) <= t1 < min(t0, L3); 0 <= t2 < 1; 0 <= t3 < L0, where all have one L2, L1
// CHECK-NEXT: region b2(*, >0, >0, >0)
// CHECK-NEXT:   reads b2.0[i0][i1][i2 - 1][i3]  ->  b2.0[t3][t1][t2 - 1][t0 - t1 - t2]
// CHECK-NEXT:   reads b2.1[i0][i1][i2][i3 - 1]  ->  b2.1[t3][t1][t2][t0 - t1 - t2 - 1]
// CHECK-NEXT:   reads arg4[i1]  ->  arg4[t1]
// CHECK-NEXT:   reads b2.0[i0][i1 - 1][i2][i3]  ->  b2.0[t3][t1 - 1][t2][t0 - t1 - t2]
// CHECK-NEXT:   reads arg5[i1]  ->  arg5[t1]
// CHECK-NEXT:   reads arg6[i1]  ->  arg6[t1]
// CHECK-NEXT:   reads arg7[i1]  ->  arg7[t1]
// CHECK-NEXT:   reads b2.1[i0][i1 - 1][i2][i3]  ->  b2.1[t3][t1 - 1][t2][t0 - t1 - t2]
// CHECK-NEXT:   reads arg8[i1]  ->  arg8[t1]
// CHECK-NEXT:   reads arg9[i1]  ->  arg9[t1]
// CHECK-NEXT:   writes b2.0[i0][i1][i2][i3]  ->  b2.0[t3][t1][t2][t0 - t1 - t2]
// CHECK-NEXT:   writes b2.1[i0][i1][i2][i3]  ->  b2.1[t3][t1][t2][t0 - t1 - t2]
// CHECK-NEXT:   writes result0[i0][i2][i3] where i1 = L3 - 1  ->  result0[t3][t2][t0 - t1 - t2] where t1 = L3 - 1
// CHECK-NEXT:   writes result1[i0][i2][i3] where i1 = L3 - 1  ->  result1[t3][t2][t0 - t1 - t2] where t1 = L3 - 1
// CHECK-NEXT:   needs (0, 0, 1, 0) (0, 0, 0, 1) (0, 1, 0, 0)
// CHECK-NEXT:   order t0 = i1 + i2 + i3, t1 = i1, t2 = i2, t3 = i0; t0 runs in order
// CHECK-NEXT:   loops 3 <= t0 < L1 + L2 + L3 - 2; max(1, t0 - L1 - L2 + 2) <= t1 < min(t0 - 1, L3); max(1, t0 - L1 - t1 + 1) <= t2 < min(t0 - t1, L2); 0 <= t3 < L0, where all have one L2, L1

module {
  func.func @main(%arg0: tensor<?xi32, #kolam.extents<["n0"]>>, %arg1: tensor<?xi64, #kolam.extents<["n1"]>>, %arg2: tensor<?xi32, #kolam.extents<["n2"]>>, %arg3: tensor<?xi64, #kolam.extents<["n3"]>>, %arg4: tensor<?x8x4xf32, #kolam.extents<["n4", "8", "4"]>>, %arg5: tensor<?x4x4xf32, #kolam.extents<["n5", "4", "4"]>>, %arg6: tensor<?x1x4xf32, #kolam.extents<["n6", "1", "4"]>>, %arg7: tensor<?x8x4xf32, #kolam.extents<["n7", "8", "4"]>>, %arg8: tensor<?x4x4xf32, #kolam.extents<["n8", "4", "4"]>>, %arg9: tensor<?x1x4xf32, #kolam.extents<["n9", "1", "4"]>>, %arg10: tensor<9x4xf32>, %arg11: tensor<9x4xf32>) -> (tensor<?x1x4xf32, #kolam.extents<["_2", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>, tensor<?x1x4xf32, #kolam.extents<["_5", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_3 + 1"]>>, tensor<?xi64, #kolam.extents<["_4 + 1"]>>) {
    %0 = kolam.pack %arg0 offsets(%arg1) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1 = kolam.pack %arg2 offsets(%arg3) : (tensor<?xi32, #kolam.extents<["n2"]>>, tensor<?xi64, #kolam.extents<["n3"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %2 = kolam.pack %arg4 : (tensor<?x8x4xf32, #kolam.extents<["n4", "8", "4"]>>) -> !kolam.list<tensor<8x4xf32>>
    %3 = kolam.pack %arg5 : (tensor<?x4x4xf32, #kolam.extents<["n5", "4", "4"]>>) -> !kolam.list<tensor<4x4xf32>>
    %4 = kolam.pack %arg6 : (tensor<?x1x4xf32, #kolam.extents<["n6", "1", "4"]>>) -> !kolam.list<tensor<1x4xf32>>
    %5 = kolam.pack %arg7 : (tensor<?x8x4xf32, #kolam.extents<["n7", "8", "4"]>>) -> !kolam.list<tensor<8x4xf32>>
    %6 = kolam.pack %arg8 : (tensor<?x4x4xf32, #kolam.extents<["n8", "4", "4"]>>) -> !kolam.list<tensor<4x4xf32>>
    %7 = kolam.pack %arg9 : (tensor<?x1x4xf32, #kolam.extents<["n9", "1", "4"]>>) -> !kolam.list<tensor<1x4xf32>>
    %8:2 = kolam.list_map over(%0, %1) captures(%arg10, %arg11, %2, %3, %4, %5, %6, %7) : (!kolam.list<!kolam.list<tensor<i32>>>, !kolam.list<!kolam.list<tensor<i32>>>, tensor<9x4xf32>, tensor<9x4xf32>, !kolam.list<tensor<8x4xf32>>, !kolam.list<tensor<4x4xf32>>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<8x4xf32>>, !kolam.list<tensor<4x4xf32>>, !kolam.list<tensor<1x4xf32>>) -> (!kolam.list<!kolam.list<!kolam.list<tensor<1x4xf32>>>>, !kolam.list<!kolam.list<!kolam.list<tensor<1x4xf32>>>>) {
    ^bb0(%arg12: !kolam.list<tensor<i32>>, %arg13: !kolam.list<tensor<i32>>, %arg14: tensor<9x4xf32>, %arg15: tensor<9x4xf32>, %arg16: !kolam.list<tensor<8x4xf32>>, %arg17: !kolam.list<tensor<4x4xf32>>, %arg18: !kolam.list<tensor<1x4xf32>>, %arg19: !kolam.list<tensor<8x4xf32>>, %arg20: !kolam.list<tensor<4x4xf32>>, %arg21: !kolam.list<tensor<1x4xf32>>):
      %9 = kolam.list_map over(%arg12) captures(%arg14) : (!kolam.list<tensor<i32>>, tensor<9x4xf32>) -> !kolam.list<tensor<1x4xf32>> {
      ^bb0(%arg22: tensor<i32>, %arg23: tensor<9x4xf32>):
        %16 = kolam.expand_dims %arg23 [1] : tensor<9x4xf32> -> tensor<9x1x4xf32>
        %17 = kolam.pack %16 : (tensor<9x1x4xf32>) -> !kolam.list<tensor<1x4xf32>>
        %18 = kolam.cast %arg22 : tensor<i32> -> tensor<i64>
        %19 = kolam.list_index %17[%18] : (!kolam.list<tensor<1x4xf32>>, tensor<i64>) -> tensor<1x4xf32>
        kolam.yield %19 : tensor<1x4xf32>
      }
      %10 = kolam.list_map over(%arg13) captures(%arg15) : (!kolam.list<tensor<i32>>, tensor<9x4xf32>) -> !kolam.list<tensor<1x4xf32>> {
      ^bb0(%arg22: tensor<i32>, %arg23: tensor<9x4xf32>):
        %16 = kolam.expand_dims %arg23 [1] : tensor<9x4xf32> -> tensor<9x1x4xf32>
        %17 = kolam.pack %16 : (tensor<9x1x4xf32>) -> !kolam.list<tensor<1x4xf32>>
        %18 = kolam.cast %arg22 : tensor<i32> -> tensor<i64>
        %19 = kolam.list_index %17[%18] : (!kolam.list<tensor<1x4xf32>>, tensor<i64>) -> tensor<1x4xf32>
        kolam.yield %19 : tensor<1x4xf32>
      }
      %11 = kolam.list_length %10 : (!kolam.list<tensor<1x4xf32>>) -> tensor<i64>
      %12 = kolam.access %9 scalars(%11) lengths ["a0", "L"] index ["j1"] : (!kolam.list<tensor<1x4xf32>>, tensor<i64>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>>
      %13 = kolam.list_length %9 : (!kolam.list<tensor<1x4xf32>>) -> tensor<i64>
      %14 = kolam.access %10 scalars(%13) lengths ["L", "a0"] index ["j0"] : (!kolam.list<tensor<1x4xf32>>, tensor<i64>) -> !kolam.list<!kolam.list<tensor<1x4xf32>>>
      %15:4 = kolam.list_scan carry(%12, %14) over(%arg16, %arg17, %arg18, %arg19, %arg20, %arg21) reverse false associative false : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<tensor<8x4xf32>>, !kolam.list<tensor<4x4xf32>>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<8x4xf32>>, !kolam.list<tensor<4x4xf32>>, !kolam.list<tensor<1x4xf32>>) -> (!kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<!kolam.list<tensor<1x4xf32>>>>, !kolam.list<!kolam.list<!kolam.list<tensor<1x4xf32>>>>) {
      ^bb0(%arg22: !kolam.list<!kolam.list<tensor<1x4xf32>>>, %arg23: !kolam.list<!kolam.list<tensor<1x4xf32>>>, %arg24: tensor<8x4xf32>, %arg25: tensor<4x4xf32>, %arg26: tensor<1x4xf32>, %arg27: tensor<8x4xf32>, %arg28: tensor<4x4xf32>, %arg29: tensor<1x4xf32>):
        %16 = kolam.constant dense<0.000000e+00> : tensor<f32>
        %17 = kolam.broadcast %16 [] : tensor<f32> -> tensor<1x4xf32>
        %18 = kolam.constant dense<0> : tensor<i64>
        %19 = kolam.list_index %arg22[%18] : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, tensor<i64>) -> !kolam.list<tensor<1x4xf32>>
        %20 = kolam.constant dense<0> : tensor<i64>
        %21 = kolam.list_index %arg23[%20] : (!kolam.list<!kolam.list<tensor<1x4xf32>>>, tensor<i64>) -> !kolam.list<tensor<1x4xf32>>
        %22 = kolam.list_length %19 : (!kolam.list<tensor<1x4xf32>>) -> tensor<i64>
        %23 = kolam.expand_dims %17 [0] : tensor<1x4xf32> -> tensor<1x1x4xf32>
        %24 = kolam.pack %23 : (tensor<1x1x4xf32>) -> !kolam.list<tensor<1x4xf32>>
        %25 = kolam.access %24 scalars(%22) lengths ["a0"] index ["0"] : (!kolam.list<tensor<1x4xf32>>, tensor<i64>) -> !kolam.list<tensor<1x4xf32>>
        %26:4 = kolam.list_scan carry(%25, %25) over(%arg22, %arg23) captures(%arg24, %arg25, %arg26, %arg27, %arg28, %arg29) reverse false associative false : (!kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>) -> (!kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>) {
        ^bb0(%arg30: !kolam.list<tensor<1x4xf32>>, %arg31: !kolam.list<tensor<1x4xf32>>, %arg32: !kolam.list<tensor<1x4xf32>>, %arg33: !kolam.list<tensor<1x4xf32>>, %arg34: tensor<8x4xf32>, %arg35: tensor<4x4xf32>, %arg36: tensor<1x4xf32>, %arg37: tensor<8x4xf32>, %arg38: tensor<4x4xf32>, %arg39: tensor<1x4xf32>):
          %27 = kolam.constant dense<0.000000e+00> : tensor<f32>
          %28 = kolam.broadcast %27 [] : tensor<f32> -> tensor<1x4xf32>
          %29:4 = kolam.list_scan carry(%28, %28) over(%arg30, %arg32, %arg33) captures(%arg34, %arg35, %arg36, %arg37, %arg38, %arg39) reverse false associative false : (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>) {
          ^bb0(%arg40: tensor<1x4xf32>, %arg41: tensor<1x4xf32>, %arg42: tensor<1x4xf32>, %arg43: tensor<1x4xf32>, %arg44: tensor<1x4xf32>, %arg45: tensor<8x4xf32>, %arg46: tensor<4x4xf32>, %arg47: tensor<1x4xf32>, %arg48: tensor<8x4xf32>, %arg49: tensor<4x4xf32>, %arg50: tensor<1x4xf32>):
            %30 = kolam.concat %arg42, %arg41 dim 1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
            %31 = kolam.contract "mk,kn->mn" %30, %arg45 <"lanes<64>, chunk<4096>"> : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
            %32 = kolam.contract "mk,kn->mn" %arg43, %arg46 <"lanes<64>, chunk<4096>"> : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
            %33 = kolam.elementwise "add" %31, %32 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
            %34 = kolam.elementwise "add" %33, %arg47 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
            %35 = kolam.elementwise "tanh" %34 : (tensor<1x4xf32>) -> tensor<1x4xf32>
            %36 = kolam.contract "mk,kn->mn" %30, %arg48 <"lanes<64>, chunk<4096>"> : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
            %37 = kolam.contract "mk,kn->mn" %arg44, %arg49 <"lanes<64>, chunk<4096>"> : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
            %38 = kolam.elementwise "add" %36, %37 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
            %39 = kolam.elementwise "add" %38, %arg50 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
            %40 = kolam.elementwise "tanh" %39 : (tensor<1x4xf32>) -> tensor<1x4xf32>
            kolam.yield %35, %40 : tensor<1x4xf32>, tensor<1x4xf32>
          }
          kolam.yield %29#2, %29#3 : !kolam.list<tensor<1x4xf32>>, !kolam.list<tensor<1x4xf32>>
        }
        kolam.yield %26#2, %26#3 : !kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>
      }
      kolam.yield %15#0, %15#1 : !kolam.list<!kolam.list<tensor<1x4xf32>>>, !kolam.list<!kolam.list<tensor<1x4xf32>>>
    }
    %leaves, %offsets:2 = kolam.unpack %8#0 symbols ["_0", "_1", "_2"] : (!kolam.list<!kolam.list<!kolam.list<tensor<1x4xf32>>>>) -> (tensor<?x1x4xf32, #kolam.extents<["_2", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>)
    %leaves_0, %offsets_1:2 = kolam.unpack %8#1 symbols ["_3", "_4", "_5"] : (!kolam.list<!kolam.list<!kolam.list<tensor<1x4xf32>>>>) -> (tensor<?x1x4xf32, #kolam.extents<["_5", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_3 + 1"]>>, tensor<?xi64, #kolam.extents<["_4 + 1"]>>)
    return %leaves, %offsets#0, %offsets#1, %leaves_0, %offsets_1#0, %offsets_1#1 : tensor<?x1x4xf32, #kolam.extents<["_2", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>, tensor<?xi64, #kolam.extents<["_1 + 1"]>>, tensor<?x1x4xf32, #kolam.extents<["_5", "1", "4"]>>, tensor<?xi64, #kolam.extents<["_3 + 1"]>>, tensor<?xi64, #kolam.extents<["_4 + 1"]>>
  }
}
