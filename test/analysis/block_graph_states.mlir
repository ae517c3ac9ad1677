// RUN: kolam-opt %s "--kolam-print-block-graph=regions=true" -o /dev/null | FileCheck %s
// States: from the last element on, moved, merged, and read in the other direction by the next step.
// Traced from:
//
//   def model(xs, layers):
//       suffixes = ops.scanr(lambda s, x: s * x, xs, initializer=ops.ones(2))
//       swapped = ops.scan(lambda s, x: (s[1], s[0]), xs, initializer=(xs[0], xs[-1]))
//       product = ops.reduce(lambda a, b: a * b, xs)
//       turned = ops.fold(lambda state, w: ops.map(lambda x: x * w, ops.reverse(state)), layers, initializer=xs)
//       return suffixes, swapped, product, turned

// CHECK:      L0: length of arg0
// CHECK-NEXT: L1: length of arg1
// CHECK-NEXT: b0.0: float32[2]
// CHECK-NEXT: b1.0: float32[2]
// CHECK-NEXT: b2.0: float32[2]
// CHECK-NEXT: b3.0: float32[2]
// CHECK-NEXT: arg0: [L0]float32[2]
// CHECK-NEXT: arg1: [L1]float32[2]
// CHECK-NEXT: result0: [L0]float32[2]
// CHECK-NEXT: result1: [L0]float32[2]
// CHECK-NEXT: result2: [L0]float32[2]
// CHECK-NEXT: result3: float32[2]
// CHECK-NEXT: result4: [L0]float32[2]
// CHECK-NEXT: b0: scan i0 < L0 from the last
// CHECK-NEXT:   cell: multiply
// CHECK-NEXT:   reads constant where i0 = 0 | b0.0[i0 - 1] where i0 >= 1
// CHECK-NEXT:   reads arg0[L0 - i0 - 1]
// CHECK-NEXT:   writes b0.0[i0]
// CHECK-NEXT:   writes result0[L0 - i0 - 1] = b0.0
// CHECK-NEXT:   needs (1)
// CHECK-NEXT: b1: scan i0 < L0
// CHECK-NEXT:   cell: moves a state
// CHECK-NEXT:   reads arg0[L0 - 1] where i0 = 0 | arg0[0] where 1 <= i0 < min(2, L0) | b1.0[i0 - 2] where i0 >= 2
// CHECK-NEXT:   writes b1.0[i0]
// CHECK-NEXT:   writes result1[i0] = b1.0
// CHECK-NEXT:   writes result2[i0 + 1] = b1.0 where i0 < L0 - 1
// CHECK-NEXT:   needs (2)
// CHECK-NEXT: b2: reduce i0 < L0 - 1
// CHECK-NEXT:   cell: multiply
// CHECK-NEXT:   reads arg0[0] where i0 = 0 | b2.0[i0 - 1] where i0 >= 1
// CHECK-NEXT:   reads arg0[i0 + 1]
// CHECK-NEXT:   writes b2.0[i0]
// CHECK-NEXT:   writes result3 = b2.0 where L0 - 1 != 0, i0 = L0 - 2
// CHECK-NEXT:   needs (1)
// CHECK-NEXT: b3: fold i0 < L1, map i1 < L0
// CHECK-NEXT:   cell: multiply
// CHECK-NEXT:   reads arg0[L0 - i1 - 1] where i0 = 0 | b3.0[i0 - 1][L0 - i1 - 1] where i0 >= 1
// CHECK-NEXT:   reads arg1[i0]; again along i1
// CHECK-NEXT:   writes b3.0[i0][i1]
// CHECK-NEXT:   writes result4[i1] = b3.0 where i0 = L1 - 1
// CHECK-NEXT:   needs (1, *)
// CHECK-NEXT: result2 shows arg0[0] where k0 = 0
// CHECK-NEXT: result3 shows arg0[0] where L0 - 1 = 0
// CHECK-NEXT: result4 shows arg0[k0] where L1 = 0
// CHECK-NEXT: region b0(0)
// CHECK-NEXT:   reads constant  ->  constant
// CHECK-NEXT:   reads arg0[L0 - i0 - 1]  ->  arg0[L0 - t0 - 1]
// CHECK-NEXT:   writes b0.0[i0]  ->  b0.0[t0]
// CHECK-NEXT:   writes result0[L0 - i0 - 1]  ->  result0[L0 - t0 - 1]
// CHECK-NEXT:   order t0 = i0; all parallel
// CHECK-NEXT:   loops 0 <= t0 < 1
// CHECK-NEXT: region b0(>0)
// CHECK-NEXT:   reads b0.0[i0 - 1]  ->  b0.0[t0 - 1]
// CHECK-NEXT:   reads arg0[L0 - i0 - 1]  ->  arg0[L0 - t0 - 1]
// CHECK-NEXT:   writes b0.0[i0]  ->  b0.0[t0]
// CHECK-NEXT:   writes result0[L0 - i0 - 1]  ->  result0[L0 - t0 - 1]
// CHECK-NEXT:   needs (1)
// CHECK-NEXT:   order t0 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L0
// CHECK-NEXT: region b1(0)
// CHECK-NEXT:   reads arg0[L0 - 1]  ->  arg0[L0 - 1]
// CHECK-NEXT:   writes b1.0[i0]  ->  b1.0[t0]
// CHECK-NEXT:   writes result1[i0]  ->  result1[t0]
// CHECK-NEXT:   writes result2[i0 + 1] where i0 < L0 - 1  ->  result2[t0 + 1] where t0 < L0 - 1
// CHECK-NEXT:   order t0 = i0; all parallel
// CHECK-NEXT:   loops 0 <= t0 < 1
// CHECK-NEXT: region b1(>0)
// CHECK-NEXT:   reads arg0[0] where 1 <= i0 < min(2, L0) | b1.0[i0 - 2] where i0 >= 2  ->  arg0[0] where 1 <= t0 < min(2, L0) | b1.0[t0 - 2] where 2 <= t0 < L0
// CHECK-NEXT:   writes b1.0[i0]  ->  b1.0[t0]
// CHECK-NEXT:   writes result1[i0]  ->  result1[t0]
// CHECK-NEXT:   writes result2[i0 + 1] where i0 < L0 - 1  ->  result2[t0 + 1] where t0 < L0 - 1
// CHECK-NEXT:   needs (2)
// CHECK-NEXT:   order t0 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L0
// CHECK-NEXT: region b2(0)
// CHECK-NEXT:   reads arg0[0]  ->  arg0[0]
// CHECK-NEXT:   reads arg0[i0 + 1]  ->  arg0[t0 + 1]
// CHECK-NEXT:   writes b2.0[i0]  ->  b2.0[t0]
// CHECK-NEXT:   writes result3 where L0 - 1 != 0, i0 = L0 - 2  ->  result3 where L0 - 1 != 0, t0 = L0 - 2
// CHECK-NEXT:   order t0 = i0; all parallel
// CHECK-NEXT:   loops 0 <= t0 < 1
// CHECK-NEXT: region b2(>0)
// CHECK-NEXT:   reads b2.0[i0 - 1]  ->  b2.0[t0 - 1]
// CHECK-NEXT:   reads arg0[i0 + 1]  ->  arg0[t0 + 1]
// CHECK-NEXT:   writes b2.0[i0]  ->  b2.0[t0]
// CHECK-NEXT:   writes result3 where L0 - 1 != 0, i0 = L0 - 2  ->  result3 where L0 - 1 != 0, t0 = L0 - 2
// CHECK-NEXT:   needs (1)
// CHECK-NEXT:   order t0 = i0; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L0 - 1
// CHECK-NEXT: region b3(0, *)
// CHECK-NEXT:   reads arg0[L0 - i1 - 1]  ->  arg0[L0 - t1 - 1]
// CHECK-NEXT:   reads arg1[i0]  ->  arg1[t0]
// CHECK-NEXT:   writes b3.0[i0][i1]  ->  b3.0[t0][t1]
// CHECK-NEXT:   writes result4[i1] where i0 = L1 - 1  ->  result4[t1] where t0 = L1 - 1
// CHECK-NEXT:   order t0 = i0, t1 = i1; all parallel
// CHECK-NEXT:   loops 0 <= t0 < 1; 0 <= t1 < L0
// CHECK-NEXT: region b3(>0, *)
// CHECK-NEXT:   reads b3.0[i0 - 1][L0 - i1 - 1]  ->  b3.0[t0 - 1][L0 - t1 - 1]
// CHECK-NEXT:   reads arg1[i0]  ->  arg1[t0]
// CHECK-NEXT:   writes b3.0[i0][i1]  ->  b3.0[t0][t1]
// CHECK-NEXT:   writes result4[i1] where i0 = L1 - 1  ->  result4[t1] where t0 = L1 - 1
// CHECK-NEXT:   needs (1, *)
// CHECK-NEXT:   order t0 = i0, t1 = i1; t0 runs in order
// CHECK-NEXT:   loops 1 <= t0 < L1; 0 <= t1 < L0

module {
  func.func @main(%arg0: tensor<?x2xf32, #kolam.extents<["n0", "2"]>>, %arg1: tensor<?x2xf32, #kolam.extents<["n1", "2"]>>) -> (tensor<?x2xf32, #kolam.extents<["_0", "2"]>>, tensor<?x2xf32, #kolam.extents<["_1", "2"]>>, tensor<?x2xf32, #kolam.extents<["_2", "2"]>>, tensor<2xf32>, tensor<?x2xf32, #kolam.extents<["_3", "2"]>>) {
    %0 = kolam.pack %arg0 : (tensor<?x2xf32, #kolam.extents<["n0", "2"]>>) -> !kolam.list<tensor<2xf32>>
    %1 = kolam.pack %arg1 : (tensor<?x2xf32, #kolam.extents<["n1", "2"]>>) -> !kolam.list<tensor<2xf32>>
    %2 = kolam.constant dense<1.000000e+00> : tensor<f32>
    %3 = kolam.broadcast %2 [] : tensor<f32> -> tensor<2xf32>
    %4:2 = kolam.list_scan carry(%3) over(%0) reverse true associative false : (tensor<2xf32>, !kolam.list<tensor<2xf32>>) -> (tensor<2xf32>, !kolam.list<tensor<2xf32>>) {
    ^bb0(%arg2: tensor<2xf32>, %arg3: tensor<2xf32>):
      %12 = kolam.elementwise "multiply" %arg2, %arg3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      kolam.yield %12 : tensor<2xf32>
    }
    %5 = kolam.constant dense<0> : tensor<i64>
    %6 = kolam.list_index %0[%5] : (!kolam.list<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
    %7 = kolam.constant dense<-1> : tensor<i64>
    %8 = kolam.list_index %0[%7] : (!kolam.list<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
    %9:4 = kolam.list_scan carry(%6, %8) over(%0) reverse false associative false : (tensor<2xf32>, tensor<2xf32>, !kolam.list<tensor<2xf32>>) -> (tensor<2xf32>, tensor<2xf32>, !kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>) {
    ^bb0(%arg2: tensor<2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>):
      kolam.yield %arg3, %arg2 : tensor<2xf32>, tensor<2xf32>
    }
    %10 = kolam.list_reduce from() over(%0) : (!kolam.list<tensor<2xf32>>) -> tensor<2xf32> {
    ^bb0(%arg2: tensor<2xf32>, %arg3: tensor<2xf32>):
      %12 = kolam.elementwise "multiply" %arg2, %arg3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      kolam.yield %12 : tensor<2xf32>
    }
    %11:2 = kolam.list_scan carry(%0) over(%1) reverse false associative false : (!kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
    ^bb0(%arg2: !kolam.list<tensor<2xf32>>, %arg3: tensor<2xf32>):
      %12 = kolam.access %arg2 lengths ["L"] index ["L - j0 - 1"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
      %13 = kolam.list_map over(%12) captures(%arg3) : (!kolam.list<tensor<2xf32>>, tensor<2xf32>) -> !kolam.list<tensor<2xf32>> {
      ^bb0(%arg4: tensor<2xf32>, %arg5: tensor<2xf32>):
        %14 = kolam.elementwise "multiply" %arg4, %arg5 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        kolam.yield %14 : tensor<2xf32>
      }
      kolam.yield %13 : !kolam.list<tensor<2xf32>>
    }
    %leaves = kolam.unpack %4#1 symbols ["_0"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_0", "2"]>>
    %leaves_0 = kolam.unpack %9#2 symbols ["_1"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_1", "2"]>>
    %leaves_1 = kolam.unpack %9#3 symbols ["_2"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_2", "2"]>>
    %leaves_2 = kolam.unpack %11#0 symbols ["_3"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_3", "2"]>>
    return %leaves, %leaves_0, %leaves_1, %10, %leaves_2 : tensor<?x2xf32, #kolam.extents<["_0", "2"]>>, tensor<?x2xf32, #kolam.extents<["_1", "2"]>>, tensor<?x2xf32, #kolam.extents<["_2", "2"]>>, tensor<2xf32>, tensor<?x2xf32, #kolam.extents<["_3", "2"]>>
  }
}
