// RUN: split-file %s %t
// RUN: kolam run %t/rows.mlir --stop-after nests | FileCheck %s --check-prefix=ROWS
// RUN: kolam run %t/late.mlir --stop-after nests | FileCheck %s --check-prefix=LATE
// RUN: kolam run %t/read.mlir --stop-after nests | FileCheck %s --check-prefix=READ
// RUN: kolam run %t/copied.mlir --stop-after nests | FileCheck %s --check-prefix=ALONE
// RUN: kolam run %t/called.mlir --stop-after nests | FileCheck %s --check-prefix=ALONE
// RUN: kolam run %t/unsaid.mlir --stop-after nests | FileCheck %s --check-prefix=ALONE
// Loops whose turns are independent are shared by threads where all that turns write, but for their parts of the states,
// can be each thread's own.

// The counter and the rows in between.
// ROWS: [[I:b[0-9]+]]: int32[] arena
// ROWS: [[R:b[0-9]+]]: float32[1, 4] arena
// ROWS: {{^}}for [b1:b2], turns shared by threads, each with its own [[I]] [[R]]{{$}}

//--- rows.mlir
func.func @main(%x: tensor<16x4xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<16x4xf32> {
  %r = kolam.for from %from to %to carry(%x) captures(%x) {independent} : (tensor<i32>, tensor<i32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<16x4xf32>, %y: tensor<16x4xf32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %row = kolam.dynamic_slice %y[%i, %zero] : (tensor<16x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %sum = kolam.cumulative "add" %row dim 1 {exclusive = false, reverse = false} : tensor<1x4xf32> -> tensor<1x4xf32>
    %n = kolam.dynamic_update_slice %s, %sum[%i, %zero] : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
    kolam.yield %n : tensor<16x4xf32>
  }
  return %r : tensor<16x4xf32>
}

// Memory of a size that is bound in the body is each thread's anyway; of one bound before it is not.
// LATE: [[I:b[0-9]+]]: int64[] arena
// LATE: [[BEFORE:b[0-9]+]]: float32[_k] arena late
// LATE: [[INSIDE:b[0-9]+]]: float32[_m] arena late
// LATE: {{^}}_k = b1, memory for [[BEFORE]]
// LATE: {{^}}for [b2:b3], turns shared by threads, each with its own [[I]] [[BEFORE]]{{$}}
// LATE: {{^  }}_m = [[I]], memory for [[INSIDE]]

//--- late.mlir
func.func @main(%x: tensor<16xf32>, %k: tensor<i64>, %from: tensor<i64>, %to: tensor<i64>) -> tensor<16xf32> {
  kolam.bind_extent "_k", %k : tensor<i64>
  %r = kolam.for from %from to %to carry(%x) captures(%x) {independent} : (tensor<i64>, tensor<i64>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<16xf32>, %y: tensor<16xf32>):
    %value = kolam.dynamic_slice %y[%i] : (tensor<16xf32>, tensor<i64>) -> tensor<1xf32>
    %one = kolam.squeeze %value [0] : tensor<1xf32> -> tensor<f32>
    %all = kolam.broadcast %one [] : tensor<f32> -> tensor<?xf32, #kolam.extents<["_k"]>>
    %sums = kolam.cumulative "add" %all dim 0 {exclusive = false, reverse = false} : tensor<?xf32, #kolam.extents<["_k"]>> -> tensor<?xf32, #kolam.extents<["_k"]>>
    %sum = kolam.reduce "add" %sums dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?xf32, #kolam.extents<["_k"]>>) -> tensor<f32>
    kolam.bind_extent "_m", %i : tensor<i64>
    %more = kolam.broadcast %sum [] : tensor<f32> -> tensor<?xf32, #kolam.extents<["_m"]>>
    %running = kolam.cumulative "add" %more dim 0 {exclusive = false, reverse = false} : tensor<?xf32, #kolam.extents<["_m"]>> -> tensor<?xf32, #kolam.extents<["_m"]>>
    %last = kolam.reduce "add" %running dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?xf32, #kolam.extents<["_m"]>>) -> tensor<f32>
    %update = kolam.reshape %last : tensor<f32> -> tensor<1xf32>
    %n = kolam.dynamic_update_slice %s, %update[%i] : (tensor<16xf32>, tensor<1xf32>, tensor<i64>) -> tensor<16xf32>
    kolam.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// A nest that reads a turn's own part of a state before another one changes it.
// READ: {{^}}for [b1:b2], turns shared by threads

//--- read.mlir
func.func @main(%x: tensor<16x4xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<16x4xf32> {
  %r = kolam.for from %from to %to carry(%x) {independent} : (tensor<i32>, tensor<i32>, tensor<16x4xf32>) -> tensor<16x4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<16x4xf32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %row = kolam.dynamic_slice %s[%i, %zero] : (tensor<16x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %sum = kolam.cumulative "add" %row dim 1 {exclusive = false, reverse = false} : tensor<1x4xf32> -> tensor<1x4xf32>
    %n = kolam.dynamic_update_slice %s, %sum[%i, %zero] : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
    kolam.yield %n : tensor<16x4xf32>
  }
  return %r : tensor<16x4xf32>
}

// A state that is copied in a turn, a function of the host, and a loop of which nobody says that its turns are independent.
// ALONE: {{^}}for [b1:b2]{{$}}

//--- copied.mlir
func.func @main(%x: tensor<4xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<4xf32> {
  %r = kolam.for from %from to %to carry(%x) {independent} : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %r = kolam.reverse %s [0] : tensor<4xf32> -> tensor<4xf32>
    %n = kolam.elementwise "negative" %r : (tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

//--- called.mlir
func.func @main(%x: tensor<16x4xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<16x4xf32> {
  %r = kolam.for from %from to %to carry(%x) captures(%x) {independent} : (tensor<i32>, tensor<i32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<16x4xf32>, %y: tensor<16x4xf32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %row = kolam.opaque_call "row" (%y) : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %n = kolam.dynamic_update_slice %s, %row[%i, %zero] : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
    kolam.yield %n : tensor<16x4xf32>
  }
  return %r : tensor<16x4xf32>
}

//--- unsaid.mlir
func.func @main(%x: tensor<16x2000xf32>, %from: tensor<i32>, %to: tensor<i32>) -> tensor<16x2000xf32> {
  %r = kolam.for from %from to %to carry(%x) captures(%x) : (tensor<i32>, tensor<i32>, tensor<16x2000xf32>, tensor<16x2000xf32>) -> tensor<16x2000xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<16x2000xf32>, %y: tensor<16x2000xf32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %row = kolam.dynamic_slice %y[%i, %zero] : (tensor<16x2000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2000xf32>
    %n = kolam.dynamic_update_slice %s, %row[%i, %zero] : (tensor<16x2000xf32>, tensor<1x2000xf32>, tensor<i32>, tensor<i32>) -> tensor<16x2000xf32>
    kolam.yield %n : tensor<16x2000xf32>
  }
  return %r : tensor<16x2000xf32>
}
