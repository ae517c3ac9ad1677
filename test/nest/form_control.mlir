// RUN: split-file %s %t
// RUN: kolam run %t/for.mlir --stop-after nests | FileCheck %s --check-prefix=FOR
// RUN: kolam run %t/while.mlir --stop-after nests | FileCheck %s --check-prefix=WHILE
// RUN: kolam run %t/cond.mlir --stop-after nests | FileCheck %s --check-prefix=COND
// RUN: kolam run %t/scan.mlir --stop-after nests | FileCheck %s --check-prefix=SCAN
// RUN: kolam run %t/rows.mlir --stop-after nests | FileCheck %s --check-prefix=ROWS
// How ops with bodies, and those that the runtime computes, become steps.

// The state is a copy of the initial values. A turn computes the next state beside it, then both change places; what the
// state was then changes places with the state that it is passed on to. The counter and captures are read where they are.
// FOR: [[X:b[0-9]+]]: float32[2000] argument 2
// FOR: [[Y:b[0-9]+]]: float32[2000] argument 3
// FOR: [[S:b[0-9]+]]: float32[2000] arena at 0
// FOR: [[T:b[0-9]+]]: float32[2000] arena at 8000
// FOR: [[I:b[0-9]+]]: int32[] arena at 16000
// FOR: [[NEXT_S:b[0-9]+]]: float32[2000] arena at 16064
// FOR: arena: 24064 bytes
// FOR-NEXT: {{^}}[[S]] = copy [[X]]
// FOR-NEXT: {{^}}[[T]] = copy [[X]]
// FOR-NEXT: {{^}}for [b0:b1]
// FOR-NEXT: {{^  }}nest0: [[NEXT_S]] = fma([[I]], [[Y]], [[S]]) over [0:2000] with reverse broadcast cast
// FOR-NEXT: {{^  }}swap [[NEXT_S]], [[S]]
// FOR-NEXT: {{^  }}swap [[NEXT_S]], [[T]]
// FOR-NEXT: {{^b[0-9]+}} = copy [[S]]
// FOR-NEXT: {{^b[0-9]+}} = copy [[T]]

//--- for.mlir
func.func @main(%lower: tensor<i32>, %upper: tensor<i32>, %x: tensor<2000xf32>, %y: tensor<2000xf32>) -> (tensor<2000xf32>, tensor<2000xf32>) {
  %r:2 = kolam.for from %lower to %upper carry(%x, %x) captures(%y) : (tensor<i32>, tensor<i32>, tensor<2000xf32>, tensor<2000xf32>, tensor<2000xf32>) -> (tensor<2000xf32>, tensor<2000xf32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<2000xf32>, %t: tensor<2000xf32>, %c: tensor<2000xf32>):
    %f = kolam.cast %i : tensor<i32> -> tensor<f32>
    %b = kolam.broadcast %f [] : tensor<f32> -> tensor<2000xf32>
    %v = kolam.reverse %s [0] : tensor<2000xf32> -> tensor<2000xf32>
    %u = kolam.elementwise "fma" %b, %c, %v : (tensor<2000xf32>, tensor<2000xf32>, tensor<2000xf32>) -> tensor<2000xf32>
    kolam.yield %u, %s : tensor<2000xf32>, tensor<2000xf32>
  }
  return %r#0, %r#1 : tensor<2000xf32>, tensor<2000xf32>
}

// The condition's steps come first in every turn.
// WHILE: {{^}}[[S:b[0-9]+]] = copy b0
// WHILE-NEXT: {{^}}while
// WHILE-NEXT: {{^  }}nest0: [[HOLDS:b[0-9]+]] = less([[S]]) over [0:1] with constant reduce
// WHILE-NEXT: {{^  }}until not [[HOLDS]]
// WHILE-NEXT: {{^  }}nest1: [[NEXT:b[0-9]+]] = add([[S]]) over [0:2000] with reverse
// WHILE-NEXT: {{^  }}swap [[NEXT]], [[S]]
// WHILE-NEXT: {{^b[0-9]+}} = copy [[S]]

//--- while.mlir
func.func @main(%x: tensor<2000xi32>) -> tensor<2000xi32> {
  %r = kolam.while carry(%x) : (tensor<2000xi32>) -> tensor<2000xi32> {
  ^bb0(%s: tensor<2000xi32>):
    %limit = kolam.constant dense<100> : tensor<i32>
    %sum = kolam.reduce "add" %s dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2000xi32>) -> tensor<i32>
    %holds = kolam.elementwise "less" %sum, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %holds : tensor<i1>
  } do {
  ^bb0(%s: tensor<2000xi32>):
    %v = kolam.reverse %s [0] : tensor<2000xi32> -> tensor<2000xi32>
    %t = kolam.elementwise "add" %s, %v : (tensor<2000xi32>, tensor<2000xi32>) -> tensor<2000xi32>
    kolam.yield %t : tensor<2000xi32>
  }
  return %r : tensor<2000xi32>
}

// Every branch leaves its result in the same memory, without a copy where it computes it; what a branch computes, it
// computes inside.
// COND: [[R:b[0-9]+]]: float32[2] result 0
// COND: {{^}}branch 0 of b0
// COND-NEXT: {{^  }}[[R]] = copy b1
// COND-NEXT: {{^}}branch 1 of b0
// COND-NEXT: {{^  }}nest0: [[E:b[0-9]+]] = exp(b1) over [0:2]
// COND-NEXT: {{^nest0$}}

//--- cond.mlir
func.func @main(%which: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = kolam.cond %which captures(%x) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    kolam.yield %a : tensor<2xf32>
  }, {
  ^bb0(%a: tensor<2xf32>):
    %e = kolam.elementwise "exp" %a : (tensor<2xf32>) -> tensor<2xf32>
    kolam.yield %e : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// Slices are views of the whole, of what is read and of what is stacked: nothing is copied.
// SCAN: [[X:b[0-9]+]]: float32[n, 2000] argument 0
// SCAN: [[STACKED:b[0-9]+]]: float32[n, 2000] result 1
// SCAN: {{^}}[[S:b[0-9]+]] = copy b1
// SCAN-NEXT: {{^}}for [0:n] reversed
// SCAN-NEXT: {{^  }}[[SLICE:b[0-9]+]] = slice of [[X]]
// SCAN-NEXT: {{^  }}[[SLOT:b[0-9]+]] = slice of [[STACKED]]
// SCAN-NEXT: {{^  }}nest0: [[NEXT:b[0-9]+]], [[SLOT]] = together([[S]], [[SLICE]]) over [0:2000] with exp add reverse
// SCAN-NEXT: {{^  }}swap [[NEXT]], [[S]]
// SCAN-NEXT: {{^b[0-9]+}} = copy [[S]]

//--- scan.mlir
func.func @main(%x: tensor<?x2000xf32, #kolam.extents<["n", "2000"]>>, %s: tensor<2000xf32>) -> (tensor<2000xf32>, tensor<?x2000xf32, #kolam.extents<["n", "2000"]>>) {
  %r:2 = kolam.scan carry(%s) over(%x) length <["n"]> reverse true : (tensor<2000xf32>, tensor<?x2000xf32, #kolam.extents<["n", "2000"]>>) -> (tensor<2000xf32>, tensor<?x2000xf32, #kolam.extents<["n", "2000"]>>) {
  ^bb0(%a: tensor<2000xf32>, %b: tensor<2000xf32>):
    %v = kolam.reverse %a [0] : tensor<2000xf32> -> tensor<2000xf32>
    %t = kolam.elementwise "add" %v, %b : (tensor<2000xf32>, tensor<2000xf32>) -> tensor<2000xf32>
    %u = kolam.elementwise "exp" %t : (tensor<2000xf32>) -> tensor<2000xf32>
    kolam.yield %t, %u : tensor<2000xf32>, tensor<2000xf32>
  }
  return %r#0, %r#1 : tensor<2000xf32>, tensor<?x2000xf32, #kolam.extents<["n", "2000"]>>
}

// Sorting takes its operand from memory and leaves values and places there, those that are read.
// ROWS: [[SORTED:b[0-9]+]]: float32[3, 4] result 0
// ROWS: [[PLACES:b[0-9]+]]: int64[3, 2] result 1
// ROWS: nest0: [[N:b[0-9]+]] = negative(b0) over [0:3]
// ROWS-NEXT: [[SORTED]], _ = sort([[N]])
// ROWS-NEXT: _, [[PLACES]] = top_k([[SORTED]])

//--- rows.mlir
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x2xi64>) {
  %n = kolam.elementwise "negative" %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %v:2 = kolam.sort %n {descending = false} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  %t:2 = kolam.top_k %v#0 k 2 {largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return %v#0, %t#1 : tensor<3x4xf32>, tensor<3x2xi64>
}
