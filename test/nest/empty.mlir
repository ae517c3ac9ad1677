// RUN: kolam run %s --stop-after nests | FileCheck %s
// Memory to be written costs no step: a part that is written before the loop takes it over, and so do the turns, also in
// turns of another loop. Each is memory of its own.

// CHECK: {{^}}for
// CHECK-NEXT: {{^  }}nest3: [[A:b[0-9]+]] = dynamic_update_slice([[E:b[0-9]+]]{{.*}}, in place of [[E]]{{$}}
// CHECK-NEXT: {{^  }}for
// CHECK-NEXT: {{^    }}nest4: {{b[0-9]+}} = dynamic_update_slice{{.*}}, in place of {{b[0-9]+$}}
// CHECK-NEXT: {{^    }}nest5: {{b[0-9]+}} = dynamic_update_slice{{.*}}, in place of {{b[0-9]+$}}
// CHECK-NEXT: {{^  }}nest6:

func.func @main(%x: tensor<5x2000xi32>, %first: tensor<1x2000xi32>, %turns: tensor<i64>) -> tensor<2000xi32> {
  %zero = kolam.constant dense<0> : tensor<i64>
  %four = kolam.constant dense<4> : tensor<i64>
  %none = kolam.constant dense<0> : tensor<2000xi32>
  %r = kolam.for from %zero to %turns carry(%none) captures(%x, %first, %zero, %four) : (tensor<i64>, tensor<i64>, tensor<2000xi32>, tensor<5x2000xi32>, tensor<1x2000xi32>, tensor<i64>, tensor<i64>) -> tensor<2000xi32> {
  ^bb0(%i: tensor<i64>, %sum: tensor<2000xi32>, %y: tensor<5x2000xi32>, %start: tensor<1x2000xi32>, %o: tensor<i64>, %last: tensor<i64>):
    %a = kolam.empty : tensor<5x2000xi32>
    %b = kolam.empty : tensor<5x2000xi32>
    %c = kolam.dynamic_update_slice %a, %start[%last, %o] : (tensor<5x2000xi32>, tensor<1x2000xi32>, tensor<i64>, tensor<i64>) -> tensor<5x2000xi32>
    %s:2 = kolam.for from %o to %last carry(%c, %b) captures(%y, %o) : (tensor<i64>, tensor<i64>, tensor<5x2000xi32>, tensor<5x2000xi32>, tensor<5x2000xi32>, tensor<i64>) -> (tensor<5x2000xi32>, tensor<5x2000xi32>) {
    ^bb0(%j: tensor<i64>, %p: tensor<5x2000xi32>, %q: tensor<5x2000xi32>, %z: tensor<5x2000xi32>, %k: tensor<i64>):
      %row = kolam.dynamic_slice %z[%j, %k] : (tensor<5x2000xi32>, tensor<i64>, tensor<i64>) -> tensor<1x2000xi32>
      %n = kolam.dynamic_update_slice %p, %row[%j, %k] : (tensor<5x2000xi32>, tensor<1x2000xi32>, tensor<i64>, tensor<i64>) -> tensor<5x2000xi32>
      %m = kolam.dynamic_update_slice %q, %row[%j, %k] : (tensor<5x2000xi32>, tensor<1x2000xi32>, tensor<i64>, tensor<i64>) -> tensor<5x2000xi32>
      kolam.yield %n, %m : tensor<5x2000xi32>, tensor<5x2000xi32>
    }
    %whole = kolam.slice %s#1 <["0", "0"]> [1, 1] : tensor<5x2000xi32> -> tensor<4x2000xi32>
    %u = kolam.reduce "add" %s#0 dims [0] commutative true <"chunk<64>"> : (tensor<5x2000xi32>) -> tensor<2000xi32>
    %v = kolam.reduce "add" %whole dims [0] commutative true <"chunk<64>"> : (tensor<4x2000xi32>) -> tensor<2000xi32>
    %w = kolam.elementwise "add" %u, %v : (tensor<2000xi32>, tensor<2000xi32>) -> tensor<2000xi32>
    %t = kolam.elementwise "add" %sum, %w : (tensor<2000xi32>, tensor<2000xi32>) -> tensor<2000xi32>
    kolam.yield %t : tensor<2000xi32>
  }
  return %r : tensor<2000xi32>
}
