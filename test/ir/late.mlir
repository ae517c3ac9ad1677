// RUN: kolam-opt %s --split-input-file --verify-diagnostics
// What verifiers say of leading extents that loops and branches bind.

func.func @f(%x: tensor<i1>, %s: tensor<2xf32>) {
  // expected-error @below {{expected a state with the leading extent "n", but got 'tensor<2xf32>'}}
  %0 = kolam.while carry(%s) captures(%x) {late = ["n"]} : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %c: tensor<i1>):
    kolam.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<2xf32>, %c: tensor<i1>):
    kolam.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<i1>, %s: tensor<2xf32>) {
  // expected-error @below {{expected the next state 0 to have an extent that the body binds, but got 'tensor<?xf32, #kolam.extents<["n"]>>'}}
  %0 = kolam.while carry(%s) captures(%x) {late = ["n"]} : (tensor<2xf32>, tensor<i1>) -> tensor<?xf32, #kolam.extents<["n"]>> {
  ^bb0(%a: tensor<?xf32, #kolam.extents<["n"]>>, %c: tensor<i1>):
    kolam.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<?xf32, #kolam.extents<["n"]>>, %c: tensor<i1>):
    kolam.yield %a : tensor<?xf32, #kolam.extents<["n"]>>
  }
  return
}

// -----

func.func @f(%x: tensor<i1>) {
  // expected-error @below {{expected 1 late symbols, but got 2}}
  %0 = kolam.cond %x {late = ["n", "m"]} : (tensor<i1>) -> tensor<?xf32, #kolam.extents<["n"]>> {
    %1 = kolam.constant dense<0.0> : tensor<2xf32>
    kolam.yield %1 : tensor<2xf32>
  }, {
    %1 = kolam.constant dense<0.0> : tensor<3xf32>
    kolam.yield %1 : tensor<3xf32>
  }
  return
}

// -----

func.func @f(%n: tensor<i32>, %s: tensor<2x3xf32>) {
  // expected-error @below {{expected result 0 to have type}}
  %0 = kolam.for from %n to %n carry(%s) {late = ["n"]} : (tensor<i32>, tensor<i32>, tensor<2x3xf32>) -> tensor<?x4xf32, #kolam.extents<["n", "4"]>> {
  ^bb0(%i: tensor<i32>, %a: tensor<?x4xf32, #kolam.extents<["n", "4"]>>):
    kolam.yield %a : tensor<?x4xf32, #kolam.extents<["n", "4"]>>
  }
  return
}
