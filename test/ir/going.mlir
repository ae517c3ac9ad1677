// RUN: split-file %s %t
// RUN: kolam run %t/kept.mlir --stop-after nests | FileCheck %s --check-prefix=NEST
// RUN: kolam run %t/mask.mlir --stop-after nests | FileCheck %s --check-prefix=NEST
// RUN: kolam run %t/dims.mlir --stop-after nests | FileCheck %s --check-prefix=DIMS
// RUN: kolam run %t/moves.mlir --stop-after nests | FileCheck %s --check-prefix=STEPS
// RUN: kolam run %t/float.mlir --stop-after nests | FileCheck %s --check-prefix=STEPS
// Loops that run while some element goes on stand in a nest where each that does not surely stays as it is.

// DIMS: {{^}}nest0: {{.*}} = while({{.*}}) over [0:8]
// DIMS-NOT: {{^}}while
// NEST: {{^}}nest0: {{.*}} = while({{.*}}) over [0:40]
// NEST-NOT: {{^}}while
// STEPS: {{^}}while{{$}}

// What a condition that fails leaves, and counts by it.
//--- kept.mlir
func.func @main(%x: tensor<40xf32>, %n: tensor<40xi32>) -> tensor<40xi32> {
  %r:2 = kolam.while carry(%x, %n) : (tensor<40xf32>, tensor<40xi32>) -> (tensor<40xf32>, tensor<40xi32>) {
  ^bb0(%s: tensor<40xf32>, %k: tensor<40xi32>):
    %limit = kolam.constant dense<4.0> : tensor<40xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
    %any = kolam.reduce "logical_or" %on dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<40xi1>) -> tensor<i1>
    kolam.yield %any : tensor<i1>
  } do {
  ^bb0(%s: tensor<40xf32>, %k: tensor<40xi32>):
    %limit = kolam.constant dense<4.0> : tensor<40xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
    %t = kolam.elementwise "add" %s, %s : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %next = kolam.elementwise "where" %on, %t, %s : (tensor<40xi1>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %one = kolam.cast %on : tensor<40xi1> -> tensor<40xi32>
    %count = kolam.elementwise "add" %k, %one : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    kolam.yield %next, %count : tensor<40xf32>, tensor<40xi32>
  }
  return %r#1 : tensor<40xi32>
}

// A mask that is carried, and that no element enters again.
//--- mask.mlir
func.func @main(%x: tensor<40xf32>, %m: tensor<40xi1>) -> tensor<40xf32> {
  %r:2 = kolam.while carry(%x, %m) : (tensor<40xf32>, tensor<40xi1>) -> (tensor<40xf32>, tensor<40xi1>) {
  ^bb0(%s: tensor<40xf32>, %on: tensor<40xi1>):
    %any = kolam.reduce "logical_or" %on dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<40xi1>) -> tensor<i1>
    kolam.yield %any : tensor<i1>
  } do {
  ^bb0(%s: tensor<40xf32>, %on: tensor<40xi1>):
    %limit = kolam.constant dense<4.0> : tensor<40xf32>
    %t = kolam.elementwise "add" %s, %s : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %next = kolam.elementwise "where" %on, %t, %s : (tensor<40xi1>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %low = kolam.elementwise "less" %next, %limit : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
    %still = kolam.elementwise "logical_and" %on, %low : (tensor<40xi1>, tensor<40xi1>) -> tensor<40xi1>
    kolam.yield %next, %still : tensor<40xf32>, tensor<40xi1>
  }
  return %r#0 : tensor<40xf32>
}

// All elements move as long as one goes on.
//--- moves.mlir
func.func @main(%x: tensor<4000xf32>) -> tensor<4000xf32> {
  %r = kolam.while carry(%x) : (tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%s: tensor<4000xf32>):
    %limit = kolam.constant dense<4.0> : tensor<4000xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xi1>
    %any = kolam.reduce "logical_or" %on dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4000xi1>) -> tensor<i1>
    kolam.yield %any : tensor<i1>
  } do {
  ^bb0(%s: tensor<4000xf32>):
    %t = kolam.elementwise "add" %s, %s : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xf32>
    kolam.yield %t : tensor<4000xf32>
  }
  return %r : tensor<4000xf32>
}

// -0 + 0 is 0: adding nothing changes a float.
//--- float.mlir
func.func @main(%x: tensor<4000xf32>) -> tensor<4000xf32> {
  %r = kolam.while carry(%x) : (tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%s: tensor<4000xf32>):
    %limit = kolam.constant dense<-4.0> : tensor<4000xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xi1>
    %any = kolam.reduce "logical_or" %on dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4000xi1>) -> tensor<i1>
    kolam.yield %any : tensor<i1>
  } do {
  ^bb0(%s: tensor<4000xf32>):
    %limit = kolam.constant dense<-4.0> : tensor<4000xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xi1>
    %one = kolam.cast %on : tensor<4000xi1> -> tensor<4000xf32>
    %t = kolam.elementwise "add" %s, %one : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xf32>
    kolam.yield %t : tensor<4000xf32>
  }
  return %r : tensor<4000xf32>
}

// Some dims after the others.
//--- dims.mlir
func.func @main(%x: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %r = kolam.while carry(%x) : (tensor<8x5xf32>) -> tensor<8x5xf32> {
  ^bb0(%s: tensor<8x5xf32>):
    %limit = kolam.constant dense<4.0> : tensor<8x5xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xi1>
    %rows = kolam.reduce "logical_or" %on dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<8x5xi1>) -> tensor<8xi1>
    %any = kolam.reduce "logical_or" %rows dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<8xi1>) -> tensor<i1>
    kolam.yield %any : tensor<i1>
  } do {
  ^bb0(%s: tensor<8x5xf32>):
    %limit = kolam.constant dense<4.0> : tensor<8x5xf32>
    %on = kolam.elementwise "less" %s, %limit : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xi1>
    %t = kolam.elementwise "add" %s, %s : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    %next = kolam.elementwise "where" %on, %t, %s : (tensor<8x5xi1>, tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    kolam.yield %next : tensor<8x5xf32>
  }
  return %r : tensor<8x5xf32>
}
