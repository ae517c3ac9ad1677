// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of loops, branches and checks that cannot be.

func.func @f() {
  // expected-error @below {{expected to end a region of a kolam op, but got 'func.func'}}
  kolam.yield
}

// -----

func.func @f(%n: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected the lower bound to have dtype int32 or int64, but got float32}}
  %0 = kolam.for from %n to %n carry(%x) : (tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    kolam.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%n: tensor<i32>, %x: tensor<4xf32>, %m: tensor<i64>) {
  // expected-error @below {{expected the upper bound to have type 'tensor<i32>', but got 'tensor<i64>'}}
  %0 = kolam.for from %n to %m carry(%x) : (tensor<i32>, tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    kolam.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected result 0 to have type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0 = kolam.for from %n to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    kolam.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected the body to take ('tensor<i32>', 'tensor<4xf32>'), but got ('tensor<4xf32>')}}
  %0 = kolam.for from %n to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>):
    kolam.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected the body to yield ('tensor<4xf32>'), but got ('tensor<i32>')}}
  %0 = kolam.for from %n to %n carry(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    kolam.yield %i : tensor<i32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error @below {{expected the condition to yield ('tensor<i1>'), but got ('tensor<4xf32>')}}
  %0 = kolam.while carry(%x) captures(%p) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>, %q: tensor<i1>):
    kolam.yield %s : tensor<4xf32>
  } do {
  ^bb0(%s: tensor<4xf32>, %q: tensor<i1>):
    kolam.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{expected 2 branches for a bool, but got 1}}
  %0 = kolam.cond %p captures(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    kolam.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%p: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected the selector to have an integer dtype or bool, but got float32}}
  %0 = kolam.cond %p captures(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    kolam.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    kolam.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%p: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected branch 0 to yield ('tensor<4xf32>'), but got ('tensor<4xf32>', 'tensor<4xf32>')}}
  %0 = kolam.cond %p captures(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    kolam.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @f(%c: tensor<f32>, %x: tensor<4x2xf32>) {
  // expected-error @below {{expected x 0 to have leading extent 5, but got [4, 2]}}
  %0:2 = kolam.scan carry(%c) over(%x) length <["5"]> reverse false : (tensor<f32>, tensor<4x2xf32>) -> (tensor<f32>, tensor<4x2xf32>) {
  ^bb0(%s: tensor<f32>, %e: tensor<2xf32>):
    kolam.yield %s, %e : tensor<f32>, tensor<2xf32>
  }
  return
}

// -----

func.func @f(%c: tensor<f32>, %x: tensor<4x2xf32>) {
  // expected-error @below {{expected result 1 to have leading extent 4, but got [3, 2]}}
  %0:2 = kolam.scan carry(%c) over(%x) length <["4"]> reverse false : (tensor<f32>, tensor<4x2xf32>) -> (tensor<f32>, tensor<3x2xf32>) {
  ^bb0(%s: tensor<f32>, %e: tensor<2xf32>):
    kolam.yield %s, %e : tensor<f32>, tensor<2xf32>
  }
  return
}

// -----

func.func @f(%c: tensor<f32>, %x: tensor<4x2xf32>) {
  // expected-error @below {{expected the body to take ('tensor<f32>', 'tensor<2xf32>'), but got ('tensor<f32>', 'tensor<4x2xf32>')}}
  %0:2 = kolam.scan carry(%c) over(%x) length <["4"]> reverse false : (tensor<f32>, tensor<4x2xf32>) -> (tensor<f32>, tensor<4x2xf32>) {
  ^bb0(%s: tensor<f32>, %e: tensor<4x2xf32>):
    kolam.yield %s, %s : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%c: tensor<4xi32>) {
  // expected-error @below {{expected the condition to have dtype bool, but got int32}}
  kolam.check %c "bad-value" "m" : tensor<4xi32>
  return
}

// -----

func.func @f(%c: tensor<4xi1>) {
  // expected-error @below {{expected a slug of lower case letters and hyphens, but got 'Bad value'}}
  kolam.check %c "Bad value" "m" : tensor<4xi1>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @below {{expected the name of a function, but got ''}}
  kolam.opaque_call ""(%x) : (tensor<9xf32>) -> ()
  return
}

// -----

func.func @f(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected numbers of states with late symbols as 'appended', but got array<i64: 0>}}
  %0 = kolam.for from %n to %n carry(%x) {appended = array<i64: 0>} : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    kolam.yield %s : tensor<4xf32>
  }
  return
}
