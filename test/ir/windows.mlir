// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of windows at places that data gives that cannot be.

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected mode to be one of clip, fill, wrap, promise, check, but got 'drop'}}
  %0 = kolam.gather %x, %i "drop" dims [0] lengths [1] batched 0 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xf32>) {
  // expected-error @below {{expected the indices to have an integer dtype, but got float32}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 0 : (tensor<9x4xf32>, tensor<5x1xf32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected batched dims from 0 to 1, but got 2}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 2 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected extent 9 in batched dim 0 of the indices, but got 5}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 1 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected dims to be distinct and below 2, but got [0, 0]}}
  %0 = kolam.gather %x, %i "clip" dims [0, 0] lengths [1, 1] batched 0 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected extent 2 in the last dim of the indices, but got 1}}
  %0 = kolam.gather %x, %i "clip" dims [0, 1] lengths [1, 1] batched 0 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected 1 lengths, but got 2}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1, 1] batched 0 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected a length from 0 to 9 along dim 0, but got 10}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [10] batched 0 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected the result to have shape [5, 1, 4], but got [5, 2, 4]}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 0 : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected at least 1 dim of the indices, but got 0}}
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [1] batched 0 : (tensor<9x4xf32>, tensor<i32>) -> tensor<5x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x1x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected combiner to be one of kUpdate, kAdd, kMul, kMin, kMax, user, but got 'kSub'}}
  %0 = kolam.scatter "kSub" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x1x4xf32>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x1x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected mode to be one of drop, element, clip, promise, check, but got 'fill'}}
  %0 = kolam.scatter "kAdd" "fill" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x1x4xf32>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected update 0 to have rank 3}}
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x4xf32>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x1x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected update 0 to have shape [5, 1, 4], but got [5, 1, 3]}}
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x1x3xf32>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x10x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected a length from 0 to 9 along dim 0, but got 10}}
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x10x4xf32>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x1x4xf16>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected update 0 to have dtype float32, but got float16}}
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x1x4xf16>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x1x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected the combiner to have one block, but got 0}}
  %0 = kolam.scatter "user" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x1x4xf32>, tensor<5x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<9x4xf32>, %u: tensor<5x1x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected no region with the combiner 'kAdd'}}
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xf32>, tensor<5x1x4xf32>, tensor<5x1xi32>) -> tensor<9x4xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x4xi1>, %u: tensor<5x1x4xi1>, %i: tensor<5x1xi32>) {
  // expected-error @below {{expected every destination to have a dtype of numbers, but got bool}}
  %0 = kolam.scatter "kAdd" "drop" (%x) updates(%u) at %i dims [0] batched 0 unique false : (tensor<9x4xi1>, tensor<5x1x4xi1>, tensor<5x1xi32>) -> tensor<9x4xi1>
  return
}
