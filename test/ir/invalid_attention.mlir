// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of attention that cannot be.

func.func @f(%q: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected the result to have rank 2 or more}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %k: tensor<1x2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected k to have rank 2}}
  %0 = kolam.attention %q, %k, %q scale %c : (tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xi32>, %c: tensor<f32>) {
  // expected-error @below {{expected q to have a dtype of floats, but got int32}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<f32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %k: tensor<2x3xf64>, %c: tensor<f32>) {
  // expected-error @below {{expected k to have dtype float32, but got float64}}
  %0 = kolam.attention %q, %k, %q scale %c : (tensor<2x3xf32>, tensor<2x3xf64>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<4x2x3xf32>, %k: tensor<3x2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected dim 0 of k to divide 4, but got 3}}
  %0 = kolam.attention %q, %k, %q scale %c : (tensor<4x2x3xf32>, tensor<3x2x3xf32>, tensor<4x2x3xf32>, tensor<f32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %k: tensor<2x4xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected dim 1 of k to be 3, but got 4}}
  %0 = kolam.attention %q, %k, %q scale %c : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %v: tensor<4x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected dim 0 of v to be 2, but got 4}}
  %0 = kolam.attention %q, %q, %v scale %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected dim 1 of the result to be 3, but got 4}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xbf16>, %c: tensor<bf16>) {
  // expected-error @below {{expected the scale to have dtype float32, but got bfloat16}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<2x3xbf16>, tensor<2x3xbf16>, tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %m: tensor<2x2xi32>, %c: tensor<f32>) {
  // expected-error @below {{expected the mask to have dtype float32, but got int32}}
  %0 = kolam.attention %q, %q, %q scale %c mask %m : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x2xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %m: tensor<2x3xi1>, %c: tensor<f32>) {
  // expected-error @below {{expected dim 1 of the mask to be 2, but got 3}}
  %0 = kolam.attention %q, %q, %q scale %c mask %m : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xi1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %s: tensor<2xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected the query segments to have an integer dtype, but got float32}}
  %0 = kolam.attention %q, %q, %q scale %c segments %s, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %s: tensor<2xi32>, %t: tensor<3xi32>, %c: tensor<f32>) {
  // expected-error @below {{expected dim 0 of the key segments to be 2, but got 3}}
  %0 = kolam.attention %q, %q, %q scale %c segments %s, %t : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %s: tensor<2xi32>, %c: tensor<f32>) {
  // expected-error @below {{expected segments of queries and of keys, but got one of them}}
  %0 = "kolam.attention"(%q, %q, %q, %c, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 0>}> ({}) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected at least 0 key on each side of a query, but got -1}}
  %0 = kolam.attention %q, %q, %q scale %c {left = -1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %s: tensor<2xi32>, %c: tensor<f32>) {
  // expected-error @below {{expected no captures without a region, but got 1}}
  %0 = kolam.attention %q, %q, %q scale %c captures(%s) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected the region to take four places, but got 1 arguments}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32> visible {
  ^bb0(%i: tensor<i1>):
    kolam.yield %i : tensor<i1>
  }
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected the region's places to be integers}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32> visible {
  ^bb0(%x: tensor<f32>, %h: tensor<f32>, %i: tensor<f32>, %j: tensor<f32>):
    %y = kolam.elementwise "less" %i, %j : (tensor<f32>, tensor<f32>) -> tensor<i1>
    kolam.yield %y : tensor<i1>
  }
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected the region to yield}}
  %0 = kolam.attention %q, %q, %q scale %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32> visible {
  ^bb0(%x: tensor<i32>, %h: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>):
    kolam.yield %i : tensor<i32>
  }
  return
}

// -----

func.func @f(%q: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error @below {{expected lse to have shape [2], but got 'tensor<3xf32>'}}
  %0, %lse = kolam.attention %q, %q, %q scale %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}
