// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of contractions, convolutions and running combinations that cannot be.

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected a contraction such as 'ij,jk->ik', but got 'ij,jk'}}
  %0 = kolam.contract "ij,jk" %x, %y <"chain<8192>"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected the first operand to have rank 3}}
  %0 = kolam.contract "ijl,jk->ik" %x, %y <"chain<8192>"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected extent 2 in dim 0 of the second operand, but got 3}}
  %0 = kolam.contract "ij,ik->jk" %x, %y <"chain<8192>"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected the result to have shape [4, 2], but got [2, 4]}}
  %0 = kolam.contract "ij,jk->ki" %x, %y <"chain<8192>"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected the result to have a dtype of floats, but got int32}}
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected an accumulation order such as 'lanes<64>, chunk<4096>', but got 'chain<0>'}}
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<0>"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{expected strides from 1 to 2147483647, but got 0}}
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 0>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{expected low widths from -2147483647 to 2147483647, but got -9999999999}}
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: -9999999999>, strides = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{expected at least 1 group, but got 0}}
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 0 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{expected 8 input channels, but got 4}}
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 2 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x1x6xf32>) {
  // expected-error @below {{expected output channels in 4 equal groups, but got 6}}
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 4 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x1x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{expected the result to have shape [1, 6, 6], but got [1, 7, 6]}}
  %0 = kolam.convolution %x, %w <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x7x6xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expected a function of two arguments with an identity, but got 'subtract'}}
  %0 = kolam.cumulative "subtract" %x dim 0 {exclusive = false, reverse = false} : tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expected dim to be distinct and below 1, but got [1]}}
  %0 = kolam.cumulative "add" %x dim 1 {exclusive = false, reverse = false} : tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xi1>) {
  // expected-error @below {{expected a dtype that 'add' takes, but got bool}}
  %0 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<3xi1> -> tensor<3xi1>
  return
}

// -----

func.func @f(%x: tensor<3xbf16>) {
  // expected-error @below {{expected an even chunk for bfloat16, but got 3}}
  %0 = kolam.contract "i,i->" %x, %x <"chain<3>"> : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
  return
}

// -----

func.func @letters_without_where(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{expected letters for each operand, but got 'ij,jk,ij->ik'}}
  %0 = kolam.contract "ij,jk,ij->ik" %x, %y <"chain"> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @where_of_numbers(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{bool}}
  %0 = kolam.contract "ij,jk,ij->ik" %x, %y where %x <"chain"> : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @where_of_another_shape(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %w: tensor<3x2xi1>) -> tensor<2x4xf32> {
  // expected-error @below {{expected where to}}
  %0 = kolam.contract "ij,jk,ij->ik" %x, %y where %w <"chain"> : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<3x2xi1>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @a_letter_of_where_alone(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %w: tensor<5xi1>) -> tensor<2x4xf32> {
  // expected-error @below {{expected a contraction such as 'ij,jk->ik', but got 'ij,jk,l->ik'}}
  %0 = kolam.contract "ij,jk,l->ik" %x, %y where %w <"chain"> : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<5xi1>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @f(%mask: tensor<5xi32>, %x: tensor<5xf32>) {
  // expected-error @below {{expected the mask to have dtype bool, but got int32}}
  %0 = kolam.compress %mask, %x : (tensor<5xi32>, tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%mask: tensor<5xi1>, %x: tensor<6xf32>) {
  // expected-error @below {{expected the operand to have shape [5], but got [6]}}
  %0 = kolam.compress %mask, %x : (tensor<5xi1>, tensor<6xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%offsets: tensor<3xi32>) {
  // expected-error @below {{expected the offsets to have dtype int64, but got int32}}
  %0 = kolam.segment_ids %offsets : (tensor<3xi32>) -> tensor<5xi64>
  return
}

// -----

func.func @f(%offsets: tensor<3xi64>, %x: tensor<f32>) {
  // expected-error @below {{expected inputs of rank 1 or more, but got rank 0}}
  %0 = kolam.segment_reduce "add" of %offsets over %x commutative true <"chunk<64>"> : (tensor<3xi64>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%offsets: tensor<3xi64>, %x: tensor<5xf32>) {
  // expected-error @below {{expected result 0 to have shape [2], but got [3]}}
  %0 = kolam.segment_reduce "add" of %offsets over %x commutative true <"chunk<64>"> : (tensor<3xi64>, tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%offsets: tensor<3xi64>, %x: tensor<5xf32>) {
  // expected-error @below {{expected an order by chunk or lanes, but got 'chain<64>'}}
  %0 = kolam.segment_reduce "add" of %offsets over %x commutative true <"chain<64>"> : (tensor<3xi64>, tensor<5xf32>) -> tensor<2xf32>
  return
}
