// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of ops that move elements that cannot be.

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected 1 dims, but got 0}}
  %0 = kolam.broadcast %x [] : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected dims to be strictly increasing and below 2, but got [1, 0]}}
  %0 = kolam.broadcast %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected extent 1 or 4 for dim 0 of the result, but got 2}}
  %0 = kolam.broadcast %x [0] : tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected the result to have dtype float32, but got float16}}
  %0 = kolam.broadcast %x [0] : tensor<2xf32> -> tensor<2xf16>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected dims to be strictly increasing and below 2, but got [3]}}
  %0 = kolam.expand_dims %x [3] : tensor<2xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected the result to have shape [1, 2], but got [2, 1]}}
  %0 = kolam.expand_dims %x [0] : tensor<2xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x1xf32>) {
  // expected-error @below {{expected extent 1 in dim 0, but got 2}}
  %0 = kolam.squeeze %x [0] : tensor<2x1xf32> -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected a result of 6 elements, but got 7}}
  %0 = kolam.reshape %x : tensor<2x3xf32> -> tensor<7xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected the permutation to be distinct and below 2, but got [0, 0]}}
  %0 = kolam.transpose %x [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [3, 2], but got [2, 3]}}
  %0 = kolam.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected steps from 1 to 9223372036854775807, but got 0}}
  %0 = kolam.slice %x <["1"]> [0] : tensor<8xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected elements inside extent 8 of dim 0, but got 1 to 9}}
  %0 = kolam.slice %x <["1"]> [4] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected elements inside extent 8 of dim 0, but got -1 to 1}}
  %0 = kolam.slice %x <["-1"]> [1] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected 1 starts, but got 2}}
  %0 = kolam.slice %x <["0", "0"]> [1] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected a number of 64 bits, but got}}
  %0 = kolam.slice %x <["1"]> [9223372036854775807] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected dims to be strictly increasing and below 1, but got [1]}}
  %0 = kolam.reverse %x [1] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected the result to have type 'tensor<8xf32>', but got 'tensor<7xf32>'}}
  %0 = kolam.reverse %x [0] : tensor<8xf32> -> tensor<7xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected 2 coefficients, but got 1}}
  %0 = kolam.view %x <["0"]> [1] : tensor<8xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected elements inside extent 8 of dim 0, but got 0 to 8}}
  %0 = kolam.view %x <["0"]> [3, 1] : tensor<8xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected elements inside extent 8 of dim 0, but got -1 to 1}}
  %0 = kolam.view %x <["1"]> [-1] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected the result to have dtype float32, but got int32}}
  %0 = kolam.view %x <["1"]> [1] : tensor<8xf32> -> tensor<3xi32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected the result to have shape [16], but got [15]}}
  %0 = kolam.concat %x, %x dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<15xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected at least 1 operand, but got 0}}
  %0 = kolam.concat dim 0 : () -> tensor<0xf32>
  return
}

// -----

func.func @f(%x: tensor<8x2xf32>) {
  // expected-error @below {{expected operand 0 to have shape [8, 3], but got [8, 2]}}
  %0 = kolam.concat %x dim 0 : (tensor<8x2xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<8x2xf32>) {
  // expected-error @below {{expected operand 0 to have rank 1}}
  %0 = kolam.concat %x dim 0 : (tensor<8x2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error @below {{expected mode to be one of constant, edge, reflect, wrap, but got 'mirror'}}
  %0 = kolam.pad %x, %v "mirror" low [1] high [1] : tensor<8xf32>, tensor<f32> -> tensor<10xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error @below {{expected low widths from 0}}
  %0 = kolam.pad %x, %v "edge" low [-1] high [1] : tensor<8xf32>, tensor<f32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<0xf32>, %v: tensor<f32>) {
  // expected-error @below {{expected elements in dim 0, but got extent 0}}
  %0 = kolam.pad %x, %v "edge" low [1] high [1] : tensor<0xf32>, tensor<f32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %v: tensor<f16>) {
  // expected-error @below {{expected the value to have dtype float32, but got float16}}
  %0 = kolam.pad %x, %v "edge" low [1] high [1] : tensor<8xf32>, tensor<f16> -> tensor<10xf32>
  return
}
