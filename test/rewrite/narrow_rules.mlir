// RUN: kolam run %s --stop-after rewritten | FileCheck %s
// Integers that are cast to few bits are computed in the narrowest dtype that holds every number on the way.

// 255 * 100 is an i16.
// CHECK: %[[X:.*]] = kolam.cast %arg0 : tensor<40xui8> -> tensor<40xi16>
// CHECK: kolam.elementwise "multiply" %[[X]], {{.*}}tensor<40xi16>
// CHECK: kolam.elementwise "bitwise_right_shift" {{.*}}tensor<40xi16>
// 255 * 255 is none, but a u16.
// CHECK: kolam.elementwise "multiply" {{.*}}tensor<40xui16>
// 255 * 255 + 1000 is neither: all of it stays.
// CHECK: kolam.elementwise "multiply" {{.*}}tensor<40xi32>
// CHECK: kolam.elementwise "add" {{.*}}tensor<40xi32>
// A negative number and one of a u16 have no dtype in common.
// CHECK: kolam.elementwise "subtract" {{.*}}tensor<40xi32>
// CHECK: kolam.elementwise "add" {{.*}}tensor<40xi32>
// Shifts by what data say are known to no range.
// CHECK: kolam.elementwise "bitwise_right_shift" {{.*}}tensor<40xi32>
// What others read is computed for them anyway.
// CHECK: kolam.elementwise "add" {{.*}}tensor<40xi32>

func.func @main(%x: tensor<40xui8>, %y: tensor<40xui8>, %z: tensor<40xi8>) -> (tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xi32>) {
  %a = kolam.cast %x : tensor<40xui8> -> tensor<40xi32>
  %b = kolam.cast %y : tensor<40xui8> -> tensor<40xi32>
  %s = kolam.cast %z : tensor<40xi8> -> tensor<40xi32>
  %hundred = kolam.constant dense<100> : tensor<40xi32>
  %eight = kolam.constant dense<8> : tensor<40xi32>
  %thousand = kolam.constant dense<1000> : tensor<40xi32>
  %most = kolam.constant dense<40000> : tensor<40xi32>
  %0 = kolam.elementwise "multiply" %a, %hundred : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %1 = kolam.elementwise "bitwise_right_shift" %0, %eight : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %r0 = kolam.cast %1 : tensor<40xi32> -> tensor<40xui8>
  %2 = kolam.elementwise "multiply" %a, %b : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %r1 = kolam.cast %2 : tensor<40xi32> -> tensor<40xui8>
  %3 = kolam.elementwise "multiply" %b, %b : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %4 = kolam.elementwise "add" %3, %thousand : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %r2 = kolam.cast %4 : tensor<40xi32> -> tensor<40xui8>
  %5 = kolam.elementwise "subtract" %a, %b : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %6 = kolam.elementwise "add" %5, %most : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %r3 = kolam.cast %6 : tensor<40xi32> -> tensor<40xui8>
  %7 = kolam.elementwise "bitwise_right_shift" %a, %s : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %r4 = kolam.cast %7 : tensor<40xi32> -> tensor<40xui8>
  %8 = kolam.elementwise "add" %a, %s : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %r5 = kolam.cast %8 : tensor<40xi32> -> tensor<40xui8>
  return %r0, %r1, %r2, %r3, %r4, %r5, %8 : tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xui8>, tensor<40xi32>
}
