// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.elementwise applies a row of the table element by element. By hand from the rows' text; the functions one by one are
// tested in test/support/. The operands are reversed literals: functions of literals are computed before lowering.

// CHECK: sums =
// CHECK-NEXT: [ -56 -128 127]
// CHECK: quotients =
// CHECK-NEXT: [ -4 0 -128]
// CHECK: greater =
// CHECK-NEXT: [nan 0. 2.]
// CHECK: lesser =
// CHECK-NEXT: [nan -0. 1.]
// CHECK: below =
// CHECK-NEXT: [False False True]
// CHECK: differs =
// CHECK-NEXT: [ True False True]
// CHECK: chosen =
// CHECK-NEXT: [-0. 0. 1.]
// CHECK: rounded =
// CHECK-NEXT: [-2. 0. 2.]
// CHECK: exclusive =
// CHECK-NEXT: [ True False]
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xf32>, tensor<3xf16>, tensor<2xi1>, tensor<0xf32>) {
  %a = kolam.constant dense<[0, -128, 100]> : tensor<3xi8>
  %b = kolam.constant dense<[127, 0, 100]> : tensor<3xi8>
  %x = kolam.reverse %a [0] : tensor<3xi8> -> tensor<3xi8>
  %y = kolam.reverse %b [0] : tensor<3xi8> -> tensor<3xi8>
  %sums = kolam.elementwise "add" %x, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // -7 / 2 goes down; by 0 gives 0; the lowest by -1 wraps
  %c = kolam.constant dense<[-128, 7, -7]> : tensor<3xi8>
  %d = kolam.constant dense<[-1, 0, 2]> : tensor<3xi8>
  %n = kolam.reverse %c [0] : tensor<3xi8> -> tensor<3xi8>
  %m = kolam.reverse %d [0] : tensor<3xi8> -> tensor<3xi8>
  %quotients = kolam.elementwise "floor_divide" %n, %m : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // NaN and 1, 0 and -0, 1 and 2
  %e = kolam.constant dense<[1.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %f = kolam.constant dense<[2.0, -0.0, 1.0]> : tensor<3xf32>
  %u = kolam.reverse %e [0] : tensor<3xf32> -> tensor<3xf32>
  %v = kolam.reverse %f [0] : tensor<3xf32> -> tensor<3xf32>
  %greater = kolam.elementwise "maximum" %u, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %lesser = kolam.elementwise "minimum" %u, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %below = kolam.elementwise "less" %u, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %differs = kolam.elementwise "not_equal" %u, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // what is not chosen leaves no trace
  %g = kolam.constant dense<[1.0, 0.0, -0.0]> : tensor<3xf32>
  %w = kolam.reverse %g [0] : tensor<3xf32> -> tensor<3xf32>
  %is_nan = kolam.elementwise "isnan" %u : (tensor<3xf32>) -> tensor<3xi1>
  %chosen = kolam.elementwise "where" %is_nan, %w, %u : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // halves to even
  %h = kolam.constant dense<[2.5, 0.5, -1.5]> : tensor<3xf16>
  %halves = kolam.reverse %h [0] : tensor<3xf16> -> tensor<3xf16>
  %rounded = kolam.elementwise "round" %halves : (tensor<3xf16>) -> tensor<3xf16>
  %k = kolam.constant dense<[true, false]> : tensor<2xi1>
  %l = kolam.constant dense<[true, true]> : tensor<2xi1>
  %p = kolam.reverse %k [0] : tensor<2xi1> -> tensor<2xi1>
  %exclusive = kolam.elementwise "logical_xor" %p, %l : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %no = kolam.constant dense<> : tensor<0xf32>
  %nothing = kolam.reverse %no [0] : tensor<0xf32> -> tensor<0xf32>
  %empty = kolam.elementwise "exp" %nothing : (tensor<0xf32>) -> tensor<0xf32>
  return %sums, %quotients, %greater, %lesser, %below, %differs, %chosen, %rounded, %exclusive, %empty : tensor<3xi8>, tensor<3xi8>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xf32>, tensor<3xf16>, tensor<2xi1>, tensor<0xf32>
}
