// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of ops that sort rows that cannot be.

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected at least 1 dim, but got 0}}
  %0:2 = kolam.sort %x {descending = false} : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected the places to have dtype int32 or int64, but got float32}}
  %0:2 = kolam.sort %x {descending = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<?xf32, #kolam.extents<["n"]>>) {
  // expected-error @below {{expected the places to have dtype int64, but got int32}}
  %0:2 = kolam.sort %x {descending = false} : (tensor<?xf32, #kolam.extents<["n"]>>) -> (tensor<?xf32, #kolam.extents<["n"]>>, tensor<?xi32, #kolam.extents<["n"]>>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected k from 0 to 4, but got 5}}
  %0:2 = kolam.top_k %x k 5 {largest = true} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected the values to have shape [2], but got [3]}}
  %0:2 = kolam.top_k %x k 2 {largest = true} : (tensor<4xf32>) -> (tensor<3xf32>, tensor<2xi32>)
  return
}
