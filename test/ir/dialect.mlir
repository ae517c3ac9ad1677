// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of attributes that cannot be.

func.func @f() {
  // expected-error @below {{expected an extent expression, but got "n +"}}
  %0 = kolam.iota 0 : tensor<?xf32, #kolam.extents<["n +"]>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected the normal form 'n + 1', but got "1 + n"}}
  %0 = kolam.iota 0 : tensor<?xf32, #kolam.extents<["1 + n"]>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected an extent expression, but got 4}}
  %0 = kolam.iota 0 : tensor<?xf32, #kolam.extents<[4]>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected an accumulation order such as 'lanes<64>, chunk<4096>', but got 'lanes<3>, chunk<64>'}}
  %0 = kolam.reduce "add" %x dims [0] commutative true <"lanes<3>, chunk<64>"> : (tensor<4xf32>) -> tensor<f32>
  return
}
