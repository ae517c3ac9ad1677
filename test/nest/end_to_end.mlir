// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after nests | FileCheck %s
// Memory of what is walked from end to end is asked for ahead (lm: an x86-64 processor): not of what near caches hold, and
// not of what is walked in an order of its own.

// CHECK: {{^}}nest0
// CHECK: ahead 1 rows 2
// CHECK-NEXT: for i0 in i parallel
// CHECK: {{^}}nest1
// CHECK-NOT: ahead
// Parts of rows: a loop around walks over the next. Not whole rows, of which a nest takes a few.
// CHECK: {{^}}nest2
// CHECK: ahead 1 rows 2
// CHECK: {{^}}nest3
// CHECK-NOT: ahead

func.func @main(%x: tensor<1000x1000xf32>, %y: tensor<10x1000xf32>, %k: tensor<i32>) -> (tensor<1000xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) {
  %0 = kolam.reduce "add" %x dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000x1000xf32>) -> tensor<1000xf32>
  %1 = kolam.reduce "add" %y dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<10x1000xf32>) -> tensor<10xf32>
  %2 = kolam.dynamic_slice %x[%k, %k] : (tensor<1000x1000xf32>, tensor<i32>, tensor<i32>) -> tensor<10x100xf32>
  %3 = kolam.reduce "maximum" %2 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<10x100xf32>) -> tensor<10xf32>
  %4 = kolam.dynamic_slice %x[%k, %k] : (tensor<1000x1000xf32>, tensor<i32>, tensor<i32>) -> tensor<10x1000xf32>
  %5 = kolam.reduce "maximum" %4 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<10x1000xf32>) -> tensor<10xf32>
  return %0, %1, %3, %5 : tensor<1000xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>
}
