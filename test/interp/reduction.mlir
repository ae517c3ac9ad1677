// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// Monoids with regions, and the order in which a reduction merges. The monoid `trace` merges a and b to 10 a + b, which
// is not associative: its result tells the tree of merges. The first five trees: left to right; (12, 34), 5;
// (12, 34), (56, 7); lanes 13 and 24, then lanes 5 and 6; lanes 1, 2, 3 of four. By hand.

// CHECK: whole =
// CHECK-NEXT: 12345
// CHECK: odd =
// CHECK-NEXT: 1545
// CHECK: seven =
// CHECK-NEXT: 2107
// CHECK: lanes =
// CHECK-NEXT: 1596
// CHECK: few =
// CHECK-NEXT: 132
// CHECK: none =
// CHECK-NEXT: -1
// CHECK: run =
// CHECK-NEXT: [1204 3404]
// CHECK: segments =
// CHECK-NEXT: [124 344]
// CHECK: sums =
// CHECK-NEXT: 375
// CHECK: digits =
// CHECK-NEXT: 1234
// CHECK: digits#1 =
// CHECK-NEXT: 10000
// CHECK: largest =
// CHECK-NEXT: 9
// CHECK: largest#1 =
// CHECK-NEXT: 21

func.func @main() -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %three = kolam.constant dense<[1, 2, 3]> : tensor<3xi64>
  %five = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi64>
  %six = kolam.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
  %up_to_seven = kolam.constant dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi64>
  %whole = kolam.reduce "trace" %five dims [0] commutative false <"chunk<64>"> : (tensor<5xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  %odd = kolam.reduce "trace" %five dims [0] commutative false <"chunk<2>"> : (tensor<5xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  %seven = kolam.reduce "trace" %up_to_seven dims [0] commutative false <"chunk<1>"> : (tensor<7xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  %lanes = kolam.reduce "trace" %six dims [0] commutative false <"lanes<2>, chunk<4>"> : (tensor<6xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  %few = kolam.reduce "trace" %three dims [0] commutative false <"lanes<4>, chunk<4>"> : (tensor<3xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  %nothing = kolam.constant dense<> : tensor<0xi64>
  %none = kolam.reduce "trace" %nothing dims [0] commutative false <"chunk<64>"> : (tensor<0xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  // dims 0 and 2 have dim 1 between them: in chunks all is one run, in lanes every index of dim 0 starts a new chunk
  %cube = kolam.constant dense<[[[1, 2], [3, 4]], [[0, 4], [0, 4]]]> : tensor<2x2x2xi64>
  %run = kolam.reduce "trace" %cube dims [0, 2] commutative false <"chunk<64>"> : (tensor<2x2x2xi64>) -> tensor<2xi64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  %segments = kolam.reduce "trace" %cube dims [0, 2] commutative false <"lanes<1>, chunk<64>"> : (tensor<2x2x2xi64>) -> tensor<2xi64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  }
  // the state of a chunk at once: 1 + 2, 3 + 4, 5, merged to 37, then 375
  %sums = kolam.reduce "trace" %five dims [0] commutative false <"chunk<2>"> : (tensor<5xi64>) -> tensor<i64> zero {
    %z = kolam.constant dense<-1> : tensor<i64>
    kolam.yield %z : tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    kolam.yield %e : tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    %t = kolam.elementwise "multiply" %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %t, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m : tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>):
    kolam.yield %a : tensor<i64>
  } wrap_all {
  ^bb0(%c: tensor<?xi64, #kolam.extents<["chunk"]>>):
    %r = kolam.reduce "add" %c dims [0] commutative true <"chunk<64>"> : (tensor<?xi64, #kolam.extents<["chunk"]>>) -> tensor<i64>
    kolam.yield %r : tensor<i64>
  }
  // digits and their scale: associative, so that chunks and lanes change nothing, but not commutative
  %four = kolam.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %digits:2 = kolam.reduce "digits" %four dims [0] commutative false <"chunk<3>"> : (tensor<4xi64>) -> (tensor<i64>, tensor<i64>) zero {
    %z = kolam.constant dense<0> : tensor<i64>
    %o = kolam.constant dense<1> : tensor<i64>
    kolam.yield %z, %o : tensor<i64>, tensor<i64>
  } wrap {
  ^bb0(%e: tensor<i64>):
    %ten = kolam.constant dense<10> : tensor<i64>
    kolam.yield %e, %ten : tensor<i64>, tensor<i64>
  } merge {
  ^bb0(%a: tensor<i64>, %s: tensor<i64>, %b: tensor<i64>, %t: tensor<i64>):
    %p = kolam.elementwise "multiply" %a, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = kolam.elementwise "add" %p, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %u = kolam.elementwise "multiply" %s, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m, %u : tensor<i64>, tensor<i64>
  } unwrap {
  ^bb0(%a: tensor<i64>, %s: tensor<i64>):
    kolam.yield %a, %s : tensor<i64>, tensor<i64>
  }
  // two inputs wrapped together: the largest of the first and what stands beside it
  %keys = kolam.constant dense<[3, 9, 4, 9]> : tensor<4xi64>
  %beside = kolam.constant dense<[20, 21, 22, 23]> : tensor<4xi64>
  %largest:2 = kolam.reduce "largest" %keys, %beside dims [0] commutative false <"lanes<2>, chunk<2>"> : (tensor<4xi64>, tensor<4xi64>) -> (tensor<i64>, tensor<i64>) zero {
    %z = kolam.constant dense<0> : tensor<i64>
    kolam.yield %z, %z : tensor<i64>, tensor<i64>
  } wrap {
  ^bb0(%k: tensor<i64>, %v: tensor<i64>):
    kolam.yield %k, %v : tensor<i64>, tensor<i64>
  } merge {
  ^bb0(%k: tensor<i64>, %v: tensor<i64>, %l: tensor<i64>, %w: tensor<i64>):
    %first = kolam.elementwise "greater_equal" %k, %l : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %m = kolam.elementwise "where" %first, %k, %l : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %n = kolam.elementwise "where" %first, %v, %w : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    kolam.yield %m, %n : tensor<i64>, tensor<i64>
  } unwrap {
  ^bb0(%k: tensor<i64>, %v: tensor<i64>):
    kolam.yield %k, %v : tensor<i64>, tensor<i64>
  }
  return %whole, %odd, %seven, %lanes, %few, %none, %run, %segments, %sums, %digits#0, %digits#1, %largest#0, %largest#1 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}
