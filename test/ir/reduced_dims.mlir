// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of reductions that cannot be.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected dims to be strictly increasing and below 2, but got [2]}}
  %0 = kolam.reduce "add" %x dims [2] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected an order by chunk or lanes, but got 'chain<64>'}}
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chain<64>"> : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected result 0 to have shape [3], but got [2]}}
  %0 = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expected input 0 to have shape [4], but got [3]}}
  %0 = kolam.zip_map_reduce (%x) space <["4"]> dims [] commutative true <"chunk<64>"> : (tensor<3xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expected no dims without a monoid, but got 1}}
  %0 = kolam.zip_map_reduce (%x) space <["3"]> dims [0] commutative true <"chunk<64>"> : (tensor<3xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expected the body to take ('tensor<f32>'), but got ('tensor<3xf32>')}}
  %0 = kolam.zip_map_reduce (%x) space <["3"]> dims [] commutative true <"chunk<64>"> : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    %b = kolam.iter_index 0 : tensor<f32>
    kolam.yield %b : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expected the body to yield ('tensor<i32>'), but got ('tensor<f32>')}}
  %0 = kolam.zip_map_reduce (%x) space <["3"]> dims [] commutative true <"chunk<64>"> : (tensor<3xf32>) -> tensor<3xi32> {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  %0 = kolam.zip_map_reduce (%x) space <["3"]> dims [] commutative true <"chunk<64>"> : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<f32>):
    // expected-error @below {{expected dim to be distinct and below 1, but got [1]}}
    %i = kolam.iter_index 1 : tensor<i32>
    kolam.yield %a : tensor<f32>
  }
  return
}
