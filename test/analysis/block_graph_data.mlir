// RUN: kolam-opt %s --kolam-print-block-graph -o /dev/null | FileCheck %s
// Places and lengths that data decides.
// Traced from:
//
//   def model(xs, places, xss):
//       gathered = ops.gather(xs, places)
//       kept = ops.filter(lambda x: ko.sum(x) > 0, xs)
//       rows = ops.map(lambda row: ops.fold(lambda s, x: s + x, row, initializer=ops.zeros(2)), xss)
//       return gathered, kept, rows, ops.enumerate(xs)

// CHECK:      L0: length of arg1
// CHECK-NEXT: L1: length of arg0
// CHECK-NEXT: L2: length of arg2
// CHECK-NEXT: L3: length of arg2[i0]
// CHECK-NEXT: data0: place given by b0.0[i0]
// CHECK-NEXT: data1: number of what is kept by b1.0[k0]
// CHECK-NEXT: data2: place of what is kept by b1.0[k0]
// CHECK-NEXT: b0.0: int64[]
// CHECK-NEXT: b1.0: bool[]
// CHECK-NEXT: b2.0: float32[2]
// CHECK-NEXT: arg1: [L0]int32[]
// CHECK-NEXT: arg0: [L1]float32[2]
// CHECK-NEXT: arg2: [L2][L3]float32[2]
// CHECK-NEXT: result0: [L0]float32[2]
// CHECK-NEXT: result1: [data1]float32[2]
// CHECK-NEXT: result2: [L2]float32[2]
// CHECK-NEXT: result3: [L1]int64[]
// CHECK-NEXT: result4: [L1]float32[2]
// CHECK-NEXT: b0: map i0 < L0
// CHECK-NEXT:   cell: cast
// CHECK-NEXT:   reads arg1[i0]
// CHECK-NEXT:   writes b0.0[i0]
// CHECK-NEXT: b1: map i0 < L1
// CHECK-NEXT:   cell: reduce greater
// CHECK-NEXT:   reads arg0[i0]
// CHECK-NEXT:   writes b1.0[i0]
// CHECK-NEXT: b2: map i0 < L2, fold i1 < L3
// CHECK-NEXT:   cell: add
// CHECK-NEXT:   reads constant where i1 = 0 | b2.0[i0][i1 - 1] where i1 >= 1
// CHECK-NEXT:   reads arg2[i0][i1]
// CHECK-NEXT:   writes b2.0[i0][i1]
// CHECK-NEXT:   writes result2[i0] = b2.0 where i1 = L3 - 1
// CHECK-NEXT:   needs (0, 1)
// CHECK-NEXT: result3 holds k0
// CHECK-NEXT: result0 shows arg0[data0(k0)]
// CHECK-NEXT: result1 shows arg0[data2(k0)]
// CHECK-NEXT: result2 shows constant where L3 = 0
// CHECK-NEXT: result4 shows arg0[k0]

module {
  func.func @main(%arg0: tensor<?x2xf32, #kolam.extents<["n0", "2"]>>, %arg1: tensor<?xi32, #kolam.extents<["n1"]>>, %arg2: tensor<?x2xf32, #kolam.extents<["n2", "2"]>>, %arg3: tensor<?xi64, #kolam.extents<["n3"]>>) -> (tensor<?x2xf32, #kolam.extents<["_0", "2"]>>, tensor<?x2xf32, #kolam.extents<["_1", "2"]>>, tensor<?x2xf32, #kolam.extents<["_2", "2"]>>, tensor<?xi64, #kolam.extents<["_3"]>>, tensor<?x2xf32, #kolam.extents<["_4", "2"]>>) {
    %0 = kolam.pack %arg0 : (tensor<?x2xf32, #kolam.extents<["n0", "2"]>>) -> !kolam.list<tensor<2xf32>>
    %1 = kolam.pack %arg1 : (tensor<?xi32, #kolam.extents<["n1"]>>) -> !kolam.list<tensor<i32>>
    %2 = kolam.pack %arg2 offsets(%arg3) : (tensor<?x2xf32, #kolam.extents<["n2", "2"]>>, tensor<?xi64, #kolam.extents<["n3"]>>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
    %3 = kolam.list_map over(%1) captures(%0) : (!kolam.list<tensor<i32>>, !kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>> {
    ^bb0(%arg4: tensor<i32>, %arg5: !kolam.list<tensor<2xf32>>):
      %8 = kolam.cast %arg4 : tensor<i32> -> tensor<i64>
      %9 = kolam.list_index %arg5[%8] : (!kolam.list<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
      kolam.yield %9 : tensor<2xf32>
    }
    %4 = kolam.list_map over(%0) : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<i1>> {
    ^bb0(%arg4: tensor<2xf32>):
      %8 = kolam.reduce "add" %arg4 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2xf32>) -> tensor<f32>
      %9 = kolam.constant dense<0.000000e+00> : tensor<f32>
      %10 = kolam.elementwise "greater" %8, %9 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      kolam.yield %10 : tensor<i1>
    }
    %5 = kolam.list_filter %0, %4 : (!kolam.list<tensor<2xf32>>, !kolam.list<tensor<i1>>) -> !kolam.list<tensor<2xf32>>
    %6 = kolam.list_map over(%2) : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<2xf32>> {
    ^bb0(%arg4: !kolam.list<tensor<2xf32>>):
      %8 = kolam.constant dense<0.000000e+00> : tensor<f32>
      %9 = kolam.broadcast %8 [] : tensor<f32> -> tensor<2xf32>
      %10:2 = kolam.list_scan carry(%9) over(%arg4) reverse false associative false : (tensor<2xf32>, !kolam.list<tensor<2xf32>>) -> (tensor<2xf32>, !kolam.list<tensor<2xf32>>) {
      ^bb0(%arg5: tensor<2xf32>, %arg6: tensor<2xf32>):
        %11 = kolam.elementwise "add" %arg5, %arg6 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        kolam.yield %11 : tensor<2xf32>
      }
      kolam.yield %10#0 : tensor<2xf32>
    }
    %7 = kolam.list_positions %0 : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<i64>>
    %leaves = kolam.unpack %3 symbols ["_0"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_0", "2"]>>
    %leaves_0 = kolam.unpack %5 symbols ["_1"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_1", "2"]>>
    %leaves_1 = kolam.unpack %6 symbols ["_2"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_2", "2"]>>
    %leaves_2 = kolam.unpack %7 symbols ["_3"] : (!kolam.list<tensor<i64>>) -> tensor<?xi64, #kolam.extents<["_3"]>>
    %leaves_3 = kolam.unpack %0 symbols ["_4"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["_4", "2"]>>
    return %leaves, %leaves_0, %leaves_1, %leaves_2, %leaves_3 : tensor<?x2xf32, #kolam.extents<["_0", "2"]>>, tensor<?x2xf32, #kolam.extents<["_1", "2"]>>, tensor<?x2xf32, #kolam.extents<["_2", "2"]>>, tensor<?xi64, #kolam.extents<["_3"]>>, tensor<?x2xf32, #kolam.extents<["_4", "2"]>>
  }
}
