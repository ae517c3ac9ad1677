// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of monoids that cannot be.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected 'zero' to yield rank-0 tensors, but got ('tensor<2xf32>')}}
  %0 = kolam.reduce "subtract" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf32> zero {
    %q = kolam.constant dense<0.0> : tensor<2xf32>
    %z = kolam.constant dense<0.0> : tensor<f32>
    kolam.yield %q : tensor<2xf32>
  } wrap {
  ^bb0(%e: tensor<f32>):
    kolam.yield %e : tensor<f32>
  } merge {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kolam.yield %a : tensor<f32>
  } unwrap {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected no regions with the named monoid 'add'}}
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf32> zero {
    %z = kolam.constant dense<0.0> : tensor<f32>
    kolam.yield %z : tensor<f32>
  } wrap {
  ^bb0(%e: tensor<f32>):
    kolam.yield %e : tensor<f32>
  } merge {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kolam.yield %a : tensor<f32>
  } unwrap {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected 'zero' to have one block, but got 0}}
  %0 = kolam.reduce "first" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected 'merge' to take ('tensor<f32>', 'tensor<f32>'), but got ('tensor<f32>')}}
  %0 = kolam.reduce "first" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf32> zero {
    %z = kolam.constant dense<0.0> : tensor<f32>
    kolam.yield %z : tensor<f32>
  } wrap {
  ^bb0(%e: tensor<f32>):
    kolam.yield %e : tensor<f32>
  } merge {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  } unwrap {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected 'wrap' to yield ('tensor<f32>'), but got ('tensor<f32>', 'tensor<f32>')}}
  %0 = kolam.reduce "first" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf32> zero {
    %z = kolam.constant dense<0.0> : tensor<f32>
    kolam.yield %z : tensor<f32>
  } wrap {
  ^bb0(%e: tensor<f32>):
    kolam.yield %e, %e : tensor<f32>, tensor<f32>
  } merge {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kolam.yield %a : tensor<f32>
  } unwrap {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected a dtype that 'logical_and' takes, but got float32}}
  %0 = kolam.reduce "logical_and" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected one result of dtype float32}}
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<3xf16>
  return
}
