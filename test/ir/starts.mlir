// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of starts known at run time that cannot be.

func.func @f(%x: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error @below {{expected every start to have an integer dtype, but got float32}}
  %0 = kolam.dynamic_slice %x[%v] : (tensor<8xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected the result to have at most extent 8 in dim 0, but got 9}}
  %0 = kolam.dynamic_slice %x[%i] : (tensor<8xf32>, tensor<i32>) -> tensor<9xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected 1 starts, but got 2}}
  %0 = kolam.dynamic_slice %x[%i, %i] : (tensor<8xf32>, tensor<i32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %u: tensor<9xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected the update to have at most extent 8 in dim 0, but got 9}}
  %0 = kolam.dynamic_update_slice %x, %u[%i] : (tensor<8xf32>, tensor<9xf32>, tensor<i32>) -> tensor<8xf32>
  return
}
