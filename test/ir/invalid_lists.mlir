// RUN: kolam-opt %s -split-input-file -verify-diagnostics
// What is said of lists, and of sizes bound by ops, that cannot be.

func.func @f(%n: tensor<i32>) {
  // expected-error @below {{expected the size to have dtype int64, but got int32}}
  kolam.bind_extent "s", %n : tensor<i32>
  return
}

// -----

func.func @f(%n: tensor<i64>) {
  // expected-error @below {{expected the name of a symbol, but got '2*s'}}
  kolam.bind_extent "2*s", %n : tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected at least 1 dims of the leaves}}
  %0 = kolam.pack %x : (tensor<f32>) -> !kolam.list<tensor<f32>>
  return
}

// -----

func.func @f(%x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>, %o: tensor<3xi32>) {
  // expected-error @below {{expected the offsets of level 0 to have dtype int64, but got int32}}
  %0 = kolam.pack %x offsets(%o) : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<3xi32>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  return
}

// -----

func.func @f(%x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>, %o: tensor<3x1xi64>) {
  // expected-error @below {{expected the offsets of level 0 to have rank 1, but got}}
  %0 = kolam.pack %x offsets(%o) : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>, tensor<3x1xi64>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  return
}

// -----

func.func @f(%x: tensor<?x2xf32, #kolam.extents<["n", "2"]>>) {
  // expected-error @below {{expected the result to be '!kolam.list<tensor<2xf32>>', but got '!kolam.list<!kolam.list<tensor<2xf32>>>'}}
  %0 = kolam.pack %x : (tensor<?x2xf32, #kolam.extents<["n", "2"]>>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected 1 symbols}}
  %0 = kolam.unpack %x symbols ["s", "t"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["t", "2"]>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the name of a symbol, but got '3'}}
  %0 = kolam.unpack %x symbols ["3"] : (!kolam.list<tensor<2xf32>>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the leaves to be}}
  %0 = kolam.unpack %x symbols ["s"] : (!kolam.list<tensor<2xf32>>) -> tensor<?x2xf32, #kolam.extents<["t", "2"]>>
  return
}

// -----

func.func @f(%x: !kolam.list<!kolam.list<tensor<2xf32>>>) {
  // expected-error @below {{expected the offsets of level 0 to be}}
  %0, %1 = kolam.unpack %x symbols ["s", "k"] : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> (tensor<?x2xf32, #kolam.extents<["k", "2"]>>, tensor<?xi64, #kolam.extents<["s"]>>)
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the result to have dtype int64, but got int32}}
  %0 = kolam.list_length %x : (!kolam.list<tensor<2xf32>>) -> tensor<i32>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %i: tensor<i32>) {
  // expected-error @below {{expected the index to have dtype int64, but got int32}}
  %0 = kolam.list_index %x[%i] : (!kolam.list<tensor<2xf32>>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: !kolam.list<!kolam.list<tensor<2xf32>>>, %i: tensor<i64>) {
  // expected-error @below {{expected the result to be '!kolam.list<tensor<2xf32>>', but got 'tensor<2xf32>'}}
  %0 = kolam.list_index %x[%i] : (!kolam.list<!kolam.list<tensor<2xf32>>>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the number of lengths from 1 to 2, but got 0}}
  %0 = kolam.access %x lengths [] index ["j0"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected index 0 to be an extent expression in normal form, but got 'L - j0 + j0'}}
  %0 = kolam.access %x lengths ["L"] index ["L - j0 + j0"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected length 0 to use only what is bound there, but got 'j0'}}
  %0 = kolam.access %x lengths ["j0"] index ["j0"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected index 0 to use only what is bound there, but got 'a0'}}
  %0 = kolam.access %x lengths ["L"] index ["a0"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected index 0 to use only what is bound there, but got 'N'}}
  %0 = kolam.access %x lengths ["L"] index ["N"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %i: tensor<i32>) {
  // expected-error @below {{expected scalar 0 to have dtype int64, but got int32}}
  %0 = kolam.access %x scalars(%i) lengths ["L"] index ["j0"] : (!kolam.list<tensor<2xf32>>, tensor<i32>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected a list of depth 2 or more for two indices, but got '!kolam.list<tensor<2xf32>>'}}
  %0 = kolam.access %x lengths ["L"] index ["j0", "j0"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %pad: tensor<f32>) {
  // expected-error @below {{expected padding of the element's type and one index, but got 'tensor<f32>' for elements 'tensor<2xf32>'}}
  %0 = kolam.access %x pad(%pad) lengths ["L"] index ["j0"] : (!kolam.list<tensor<2xf32>>, tensor<f32>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the result to be '!kolam.list<!kolam.list<tensor<2xf32>>>', but got '!kolam.list<tensor<2xf32>>'}}
  %0 = kolam.access %x lengths ["L", "L"] index ["j0"] : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the result to be '!kolam.list<tensor<i64>>'}}
  %0 = kolam.list_positions %x : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %y: !kolam.list<!kolam.list<tensor<2xf32>>>) {
  // expected-error @below {{expected list 1 to be '!kolam.list<tensor<2xf32>>', but got '!kolam.list<!kolam.list<tensor<2xf32>>>'}}
  %0 = kolam.join %x, %y : (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected a list of depth 2 or more, but got '!kolam.list<tensor<2xf32>>'}}
  %0 = kolam.flatten %x : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<!kolam.list<tensor<2xf32>>>) {
  // expected-error @below {{expected the result to be '!kolam.list<tensor<2xf32>>', but got '!kolam.list<!kolam.list<tensor<2xf32>>>'}}
  %0 = kolam.flatten %x : (!kolam.list<!kolam.list<tensor<2xf32>>>) -> !kolam.list<!kolam.list<tensor<2xf32>>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %mask: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the mask to be '!kolam.list<tensor<i1>>', but got '!kolam.list<tensor<2xf32>>'}}
  %0 = kolam.list_filter %x, %mask : (!kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>>
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the body to take ('tensor<2xf32>'), but got ('tensor<f32>')}}
  %0 = kolam.list_map over(%x) : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<2xf32>> {
  ^bb0(%a: tensor<f32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the body to yield ('tensor<f32>'), but got ('tensor<2xf32>')}}
  %0 = kolam.list_map over(%x) : (!kolam.list<tensor<2xf32>>) -> !kolam.list<tensor<f32>> {
  ^bb0(%a: tensor<2xf32>):
    kolam.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %s: tensor<2xf32>) {
  // expected-error @below {{expected 2 results, but got 1}}
  %0 = kolam.list_scan carry(%s) over(%x) reverse false associative false : (tensor<2xf32>, !kolam.list<tensor<2xf32>>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    kolam.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %s: tensor<f32>) {
  // expected-error @below {{expected the states 0 to be '!kolam.list<tensor<f32>>'}}
  %0:2 = kolam.list_scan carry(%s) over(%x) reverse false associative false : (tensor<f32>, !kolam.list<tensor<2xf32>>) -> (tensor<f32>, !kolam.list<tensor<2xf32>>) {
  ^bb0(%a: tensor<f32>, %b: tensor<2xf32>):
    kolam.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %s: tensor<f32>) {
  // expected-error @below {{expected the body to yield ('tensor<f32>'), but got ('tensor<2xf32>')}}
  %0:2 = kolam.list_scan carry(%s) over(%x) reverse false associative false : (tensor<f32>, !kolam.list<tensor<2xf32>>) -> (tensor<f32>, !kolam.list<tensor<f32>>) {
  ^bb0(%a: tensor<f32>, %b: tensor<2xf32>):
    kolam.yield %b : tensor<2xf32>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %s: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected tensors as states of an associative scan}}
  %0:2 = kolam.list_scan carry(%s) over(%x) reverse false associative true : (!kolam.list<tensor<2xf32>>, !kolam.list<tensor<2xf32>>) -> (!kolam.list<tensor<2xf32>>, !kolam.list<!kolam.list<tensor<2xf32>>>) {
  ^bb0(%a: !kolam.list<tensor<2xf32>>, %b: tensor<2xf32>):
    kolam.yield %a : !kolam.list<tensor<2xf32>>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>, %s: tensor<f32>) {
  // expected-error @below {{expected initial state 0 to be 'tensor<2xf32>', but got 'tensor<f32>'}}
  %0 = kolam.list_reduce from(%s) over(%x) : (tensor<f32>, !kolam.list<tensor<2xf32>>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    kolam.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @f(%x: !kolam.list<tensor<2xf32>>) {
  // expected-error @below {{expected the body to take ('tensor<2xf32>', 'tensor<2xf32>'), but got ('tensor<2xf32>')}}
  %0 = kolam.list_reduce from() over(%x) : (!kolam.list<tensor<2xf32>>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    kolam.yield %a : tensor<2xf32>
  }
  return
}

// -----

// expected-error @below {{expected a tensor of a kolam dtype or a list as element, but got 'i64'}}
func.func private @f(%x: !kolam.list<i64>)

// -----

// expected-error @below {{expected a list of depth at most 64, but got more}}
func.func private @f(%x: !kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<!kolam.list<tensor<i64>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>)
