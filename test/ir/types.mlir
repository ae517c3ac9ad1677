// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of types that cannot be.

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<?xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<4xf32, #kolam.extents<["4"]>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<?xf32, #kolam.extents<["n", "m"]>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<?x4xf32, #kolam.extents<["n", "5"]>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<4xi3>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<4xf8E5M2>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<4xsi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result #0 must be a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64}}
  %0 = kolam.iota 0 : tensor<4294967296x4294967296xf32>
  return
}
