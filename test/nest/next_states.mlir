// REQUIRES: lm
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after nests | FileCheck %s
// States that their next ones take over once the rows and elements that these read are stored (lm: an x86-64 processor).

// A row and a column of a large one: its copy would lie beside it.
// CHECK: b[[STATE:[0-9]+]]: float32[512, 512] arena in b[[RESULT:[0-9]+]]
// CHECK: b[[NEXT:[0-9]+]]: float32[512, 512] arena in b[[RESULT]]
// CHECK: for [
// CHECK: = dynamic_slice(b[[STATE]]
// CHECK: = dynamic_slice(b[[STATE]]
// CHECK: b[[NEXT]] = minimum(b[[STATE]],

// Not where two of them stay in the second cache.
// CHECK: for [
// CHECK-NEXT: {{.*}} = minimum({{.*}}dynamic_slice {{.*}}dynamic_slice
// CHECK-NEXT: swap

// Nor where a step reads neighbours: it needs another memory in any case.
// CHECK: for [
// CHECK-NEXT: {{.*}} = add({{.*}}dynamic_slice
// CHECK-NEXT: swap

func.func @main(%x: tensor<512x512xf32>, %y: tensor<128x128xf32>, %z: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<128x128xf32>, tensor<512x512xf32>) {
  %from = kolam.constant dense<0> : tensor<i64>
  %to = kolam.constant dense<100> : tensor<i64>
  %0 = kolam.for from %from to %to carry(%x) captures(%from) : (tensor<i64>, tensor<i64>, tensor<512x512xf32>, tensor<i64>) -> tensor<512x512xf32> {
  ^bb0(%k: tensor<i64>, %d: tensor<512x512xf32>, %first: tensor<i64>):
    %column = kolam.dynamic_slice %d[%first, %k] : (tensor<512x512xf32>, tensor<i64>, tensor<i64>) -> tensor<512x1xf32>
    %row = kolam.dynamic_slice %d[%k, %first] : (tensor<512x512xf32>, tensor<i64>, tensor<i64>) -> tensor<1x512xf32>
    %columns = kolam.broadcast %column [0, 1] : tensor<512x1xf32> -> tensor<512x512xf32>
    %rows = kolam.broadcast %row [0, 1] : tensor<1x512xf32> -> tensor<512x512xf32>
    %sum = kolam.elementwise "add" %columns, %rows : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %least = kolam.elementwise "minimum" %d, %sum : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    kolam.yield %least : tensor<512x512xf32>
  }
  %1 = kolam.for from %from to %to carry(%y) captures(%from) : (tensor<i64>, tensor<i64>, tensor<128x128xf32>, tensor<i64>) -> tensor<128x128xf32> {
  ^bb0(%k: tensor<i64>, %d: tensor<128x128xf32>, %first: tensor<i64>):
    %column = kolam.dynamic_slice %d[%first, %k] : (tensor<128x128xf32>, tensor<i64>, tensor<i64>) -> tensor<128x1xf32>
    %row = kolam.dynamic_slice %d[%k, %first] : (tensor<128x128xf32>, tensor<i64>, tensor<i64>) -> tensor<1x128xf32>
    %columns = kolam.broadcast %column [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
    %rows = kolam.broadcast %row [0, 1] : tensor<1x128xf32> -> tensor<128x128xf32>
    %sum = kolam.elementwise "add" %columns, %rows : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %least = kolam.elementwise "minimum" %d, %sum : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    kolam.yield %least : tensor<128x128xf32>
  }
  %2 = kolam.for from %from to %to carry(%z) captures(%from) : (tensor<i64>, tensor<i64>, tensor<512x512xf32>, tensor<i64>) -> tensor<512x512xf32> {
  ^bb0(%k: tensor<i64>, %d: tensor<512x512xf32>, %first: tensor<i64>):
    %row = kolam.dynamic_slice %d[%k, %first] : (tensor<512x512xf32>, tensor<i64>, tensor<i64>) -> tensor<1x512xf32>
    %rows = kolam.broadcast %row [0, 1] : tensor<1x512xf32> -> tensor<512x512xf32>
    %turned = kolam.reverse %d [0] : tensor<512x512xf32> -> tensor<512x512xf32>
    %sum = kolam.elementwise "add" %turned, %rows : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    kolam.yield %sum : tensor<512x512xf32>
  }
  return %0, %1, %2 : tensor<512x512xf32>, tensor<128x128xf32>, tensor<512x512xf32>
}
