// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of kernels and Refs that cannot be.

func.func @f(%i: tensor<i32>) {
  %r = kolam.ref_alloc : !kolam.ref<tensor<4xf32>>
  // expected-error @below {{expected a view of dtype float32, but got int32}}
  %s = kolam.ref_slice %r at(%i) steps [1] : (!kolam.ref<tensor<4xf32>>, tensor<i32>) -> !kolam.ref<tensor<2xi32>>
  return
}

// -----

func.func @f() {
  %r = kolam.ref_alloc : !kolam.ref<tensor<4xf32>>
  // expected-error @below {{expected as many elements as the ref of shape [4] has, but got shape [5]}}
  %s = kolam.ref_reshape %r : (!kolam.ref<tensor<4xf32>>) -> !kolam.ref<tensor<5xf32>>
  return
}

// -----

func.func @f() {
  %r = kolam.ref_alloc : !kolam.ref<tensor<4xf32>>
  // expected-error @below {{expected a dtype as wide as float32, but got float64}}
  %s = kolam.ref_bitcast %r : (!kolam.ref<tensor<4xf32>>) -> !kolam.ref<tensor<4xf64>>
  return
}

// -----

func.func @f(%v: tensor<3xf32>) {
  %r = kolam.ref_alloc : !kolam.ref<tensor<4xf32>>
  // expected-error @below {{expected the value to be 'tensor<4xf32>', but got 'tensor<3xf32>'}}
  kolam.ref_write %r, %v : !kolam.ref<tensor<4xf32>>, tensor<3xf32>
  return
}

// -----

func.func @f(%v: tensor<4xf32>) {
  %r = kolam.ref_alloc : !kolam.ref<tensor<4xf32>>
  // expected-error @below {{expected integers or booleans for 'and', but got float32}}
  %o = kolam.ref_update "and" %r, %v : (!kolam.ref<tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.kernel_call "k" grid <[]>(%x) prefetch 0 blocks [{high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0.0> : tensor<f32>, sizes = #kolam.extents<["4"]>}, {high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0.0> : tensor<f32>, sizes = #kolam.extents<["4"]>}] scratch [] aliases [-1] semantics [] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: !kolam.ref<tensor<4xf32>>, %b: !kolam.ref<tensor<4xf32>>):
    %v = kolam.ref_read %b : (!kolam.ref<tensor<4xf32>>) -> tensor<4xf32>
    // expected-error @below {{writes to an input that no result is the memory of}}
    kolam.ref_write %a, %v : !kolam.ref<tensor<4xf32>>, tensor<4xf32>
    kolam.yield
  } maps {
    %z = kolam.constant dense<0> : tensor<i32>
    kolam.yield %z : tensor<i32>
  }, {
    %z = kolam.constant dense<0> : tensor<i32>
    kolam.yield %z : tensor<i32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{block 0: expected kinds, sizes, low, high and pad, but got}}
  %0 = kolam.kernel_call "k" grid <[]>(%x) prefetch 0 blocks [{}, {}] scratch [] aliases [-1] semantics [] : (tensor<4xf32>) -> tensor<4xf32> {
    kolam.yield
  } maps {
    kolam.yield
  }, {
    kolam.yield
  }
  return %0 : tensor<4xf32>
}
