// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What the verifiers of contractions, reductions and patterns say.

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
