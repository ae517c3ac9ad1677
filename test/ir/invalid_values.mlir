// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of values and element-by-element ops that cannot be.

func.func @f() {
  // expected-error @below {{expected an extent expression, but got 'n +'}}
  %0 = kolam.extent "n +" : tensor<i64>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected the result to have dtype int64, but got int32}}
  %0 = kolam.extent "1" : tensor<i32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected a dense literal}}
  %0 = kolam.constant dense_resource<a> : tensor<2xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected dim to be distinct and below 2, but got [2]}}
  %0 = kolam.iota 2 : tensor<2x3xi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected the result to have a dtype of numbers, but got bool}}
  %0 = kolam.iota 0 : tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2xui32>) {
  // expected-error @below {{expected the generator to be one of threefry, philox, but got 'mersenne'}}
  %0 = kolam.random_bits "mersenne" %x : tensor<2xui32> -> tensor<4xui8>
  return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @below {{expected the key to have dtype uint32, but got int32}}
  %0 = kolam.random_bits "philox" %x : tensor<2xi32> -> tensor<4xui8>
  return
}

// -----

func.func @f(%x: tensor<3xui32>) {
  // expected-error @below {{expected the key to have shape [2], but got [3]}}
  %0 = kolam.random_bits "philox" %x : tensor<3xui32> -> tensor<4xui8>
  return
}

// -----

func.func @f(%x: tensor<2xui32>) {
  // expected-error @below {{expected the result to have an unsigned dtype, but got int8}}
  %0 = kolam.random_bits "philox" %x : tensor<2xui32> -> tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4x3xui32>) {
  // expected-error @below {{expected the key to have extent 2 in its last dim, but got [4, 3]}}
  %0 = kolam.random_block %x, %x : tensor<4x3xui32>, tensor<4x3xui32> -> tensor<4x3xui32>
  return
}

// -----

func.func @f(%x: tensor<2xui32>, %y: tensor<4x2xui32>) {
  // expected-error @below {{expected the counter to have type 'tensor<2xui32>', but got 'tensor<4x2xui32>'}}
  %0 = kolam.random_block %x, %y : tensor<2xui32>, tensor<4x2xui32> -> tensor<4x2xui32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected the result to have shape [2], but got [3]}}
  %0 = kolam.cast %x : tensor<2xf32> -> tensor<3xi8>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected dtypes of one width, but got float32 and int16}}
  %0 = kolam.bitcast %x : tensor<2xf32> -> tensor<2xi16>
  return
}

// -----

func.func @f(%x: tensor<2xi8>) {
  // expected-error @below {{expected dtypes of one width, but got int8 and bool}}
  %0 = kolam.bitcast %x : tensor<2xi8> -> tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected an elementwise function, but got 'plus'}}
  %0 = kolam.elementwise "plus" %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{expected 2 operands, but got 1}}
  %0 = kolam.elementwise "add" %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<1xf32>) {
  // expected-error @below {{expected operand 1 to have shape [2], but got [1]}}
  %0 = kolam.elementwise "add" %x, %y : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf16>) {
  // expected-error @below {{expected operand 0 to have dtype float16, but got float32}}
  %0 = kolam.elementwise "add" %x, %y : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @below {{expected a dtype that 'exp' takes, but got int32}}
  %0 = kolam.elementwise "exp" %x : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @below {{expected the result to have dtype bool, but got int32}}
  %0 = kolam.elementwise "equal" %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{operand #0 must be a ranked tensor of}}
  %0 = kolam.cast %x : tensor<?xf32> -> tensor<?xi32>
  return
}

// -----

func.func @f(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @below {{operand #0 must be a ranked tensor of}}
  %0 = kolam.cast %x : tensor<4294967296x4294967296xf32> -> tensor<4294967296x4294967296xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected dim from 0 to 1, but got 2}}
  %0 = kolam.pin %x 2 : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected at least 1 dims, but got 0}}
  %0 = kolam.pin %x 0 : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected 2 names, but got 1}}
  %0 = kolam.pin %x 0 ["a"] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected every name once, but got 'a' twice}}
  %0 = kolam.pin %x 0 ["a", "a"] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected names of letters, digits and '_', but got 'a!'}}
  %0 = kolam.pin %x 0 ["a!", "b"] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have type 'tensor<2x3xf32>', but got 'tensor<3x2xf32>'}}
  %0 = kolam.pin %x 0 : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}
