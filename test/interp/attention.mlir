// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.attention: queries of zeros give equal weights, so each row is the mean of the values it sees. By hand.

// CHECK: mean =
// CHECK-NEXT{LITERAL}: [[2. 3.]]
// CHECK: hidden =
// CHECK-NEXT{LITERAL}: [[5. 6.]
// CHECK-NEXT{LITERAL}:  [0. 0.]]
// CHECK: added =
// CHECK-NEXT{LITERAL}: [[5. 6.]]
// CHECK: window =
// CHECK-NEXT{LITERAL}: [[2.]
// CHECK-NEXT{LITERAL}:  [3.]
// CHECK-NEXT{LITERAL}:  [6.]
// CHECK-NEXT{LITERAL}:  [8.]]
// CHECK: left =
// CHECK-NEXT{LITERAL}: [[6.5]
// CHECK-NEXT{LITERAL}:  [6.5]
// CHECK-NEXT{LITERAL}:  [8. ]]
// CHECK: segments =
// CHECK-NEXT{LITERAL}: [[ 3.]
// CHECK-NEXT{LITERAL}:  [ 0.]
// CHECK-NEXT{LITERAL}:  [10.]]
// CHECK: region =
// CHECK-NEXT{LITERAL}: [[[[2.]]
// CHECK{LITERAL}: [[6.]]]]
// CHECK: groups =
// CHECK-NEXT{LITERAL}: [[[2.]]
// CHECK{LITERAL}: [[2.]]
// CHECK{LITERAL}: [[8.]]
// CHECK{LITERAL}: [[8.]]]
// CHECK: narrow =
// CHECK-NEXT{LITERAL}: [[1.]]
// CHECK: overflow =
// CHECK-NEXT{LITERAL}: [[nan]]
// CHECK: nothing =
// CHECK-NEXT{LITERAL}: [[0. 0.]]
// CHECK: lse =
// CHECK-NEXT{LITERAL}: [0.6931472 3.        -inf]
// CHECK: lse1 =
// CHECK-NEXT{LITERAL}: [0.6931472]

func.func @main() -> (tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<4x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x2x1x1xf32>, tensor<4x1x1xf32>, tensor<1x1xbf16>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<3xf32>, tensor<1xf32>) {
  %one = kolam.constant dense<1.0> : tensor<f32>
  %q = kolam.constant dense<0.0> : tensor<1x1xf32>
  %k = kolam.constant dense<1.0> : tensor<2x1xf32>
  %v = kolam.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %mean = kolam.attention %q, %k, %v scale %one : (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  // what is hidden may be NaN; a row that sees nothing gives 0
  %q2 = kolam.constant dense<0.0> : tensor<2x1xf32>
  %bad = kolam.constant dense<[[1.0], [0x7FC00000]]> : tensor<2x1xf32>
  %worse = kolam.constant dense<[[5.0, 6.0], [0x7FC00000, 0x7F800000]]> : tensor<2x2xf32>
  %m = kolam.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %hidden = kolam.attention %q2, %bad, %worse scale %one mask %m : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<f32>, tensor<2x2xi1>) -> tensor<2x2xf32>
  // minus infinity hides too
  %bias = kolam.constant dense<[[2.0, 0xFF800000]]> : tensor<1x2xf32>
  %added = kolam.attention %q, %bad, %worse scale %one mask %bias : (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<f32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  // two to the left, none to the right: 2; 2, 4; 2, 4, 12; 4, 12, 8
  %q4 = kolam.constant dense<0.0> : tensor<4x1xf32>
  %v4 = kolam.constant dense<[[2.0], [4.0], [12.0], [8.0]]> : tensor<4x1xf32>
  %window = kolam.attention %q4, %q4, %v4 scale %one {left = 2 : i64, right = 0 : i64} : (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %q3 = kolam.constant dense<0.0> : tensor<3x1xf32>
  // one to the left, any to the right: all but key 0 for the last row
  %left = kolam.attention %q3, %q4, %v4 scale %one {left = 1 : i64} : (tensor<3x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %own = kolam.constant dense<[7, 8, 9]> : tensor<3xi32>
  %theirs = kolam.constant dense<[7, 7, 9, 9]> : tensor<4xi32>
  %segments = kolam.attention %q3, %q4, %v4 scale %one segments %own, %theirs : (tensor<3x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<f32>, tensor<3xi32>, tensor<4xi32>) -> tensor<3x1xf32>
  // head 0 sees key 0, head 1 keys 0 .. 2
  %qh = kolam.constant dense<0.0> : tensor<1x2x1x1xf32>
  %kh = kolam.constant dense<0.0> : tensor<1x1x4x1xf32>
  %vh = kolam.constant dense<[[[[2.0], [4.0], [12.0], [8.0]]]]> : tensor<1x1x4x1xf32>
  %reach = kolam.constant dense<[0, 2]> : tensor<2xi32>
  %region = kolam.attention %qh, %kh, %vh scale %one captures(%reach) : (tensor<1x2x1x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<f32>, tensor<2xi32>) -> tensor<1x2x1x1xf32> visible {
  ^bb0(%x: tensor<i32>, %h: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>, %r: tensor<2xi32>):
    %w = kolam.dynamic_slice %r[%h] : (tensor<2xi32>, tensor<i32>) -> tensor<1xi32>
    %s = kolam.squeeze %w [0] : tensor<1xi32> -> tensor<i32>
    %y = kolam.elementwise "less_equal" %j, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %y : tensor<i1>
  }
  // heads 0 and 1 share the first head of v, 2 and 3 the second; all share k
  %qg = kolam.constant dense<0.0> : tensor<4x1x1xf32>
  %kg = kolam.constant dense<0.0> : tensor<1x2x1xf32>
  %vg = kolam.constant dense<[[[1.0], [3.0]], [[7.0], [9.0]]]> : tensor<2x2x1xf32>
  %groups = kolam.attention %qg, %kg, %vg scale %one : (tensor<4x1x1xf32>, tensor<1x2x1xf32>, tensor<2x2x1xf32>, tensor<f32>) -> tensor<4x1x1xf32>
  // the mean of 1 and 1 + 2^-7 is no bf16: rounded once, to even
  %qn = kolam.constant dense<0.0> : tensor<1x1xbf16>
  %kn = kolam.constant dense<0.0> : tensor<2x1xbf16>
  %vn = kolam.constant dense<[[1.0], [1.0078125]]> : tensor<2x1xbf16>
  %narrow = kolam.attention %qn, %kn, %vn scale %one : (tensor<1x1xbf16>, tensor<2x1xbf16>, tensor<2x1xbf16>, tensor<f32>) -> tensor<1x1xbf16>
  // an infinite score leaves no finite weight
  %q1 = kolam.constant dense<1.0> : tensor<1x1xf32>
  %ki = kolam.constant dense<[[1.0], [0x7F800000]]> : tensor<2x1xf32>
  %vi = kolam.constant dense<1.0> : tensor<2x1xf32>
  %overflow = kolam.attention %q1, %ki, %vi scale %one : (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  // log 2 for two keys of score 0, 3 for one of score 3; the last sees nothing
  %ql = kolam.constant dense<[[0.0], [1.0], [0.0]]> : tensor<3x1xf32>
  %kl = kolam.constant dense<[[3.0], [-1.0]]> : tensor<2x1xf32>
  %seen = kolam.constant dense<[[true, true], [true, false], [false, false]]> : tensor<3x2xi1>
  %kept, %lse = kolam.attention %ql, %kl, %kl scale %one mask %seen : (tensor<3x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<f32>, tensor<3x2xi1>) -> (tensor<3x1xf32>, tensor<3xf32>)
  %kept1, %lse1 = kolam.attention %q, %kl, %kl scale %one : (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<f32>) -> (tensor<1x1xf32>, tensor<1xf32>)
  %k0 = kolam.constant dense<> : tensor<0x1xf32>
  %v0 = kolam.constant dense<> : tensor<0x2xf32>
  %nothing = kolam.attention %q, %k0, %v0 scale %one : (tensor<1x1xf32>, tensor<0x1xf32>, tensor<0x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  return %mean, %hidden, %added, %window, %left, %segments, %region, %groups, %narrow, %overflow, %nothing, %lse, %lse1 : tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<4x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x2x1x1xf32>, tensor<4x1x1xf32>, tensor<1x1xbf16>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<3xf32>, tensor<1xf32>
}
