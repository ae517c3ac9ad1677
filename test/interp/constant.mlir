// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.constant gives its literal, of every dtype, with the signs of zeros and the ends of the ranges.

// CHECK: singles =
// CHECK-NEXT: [-0. nan inf -inf 0.1]
// CHECK: halves =
// CHECK-NEXT: [6.00e-08 6.55e+04]
// CHECK: brains =
// CHECK-NEXT: [-0. 2.]
// CHECK: longs =
// CHECK-NEXT: [-9223372036854775808 9223372036854775807]
// CHECK: unsigned =
// CHECK-NEXT: [ 0 18446744073709551615]
// CHECK: flags =
// CHECK-NEXT: [ True False True]
// CHECK: splat =
// CHECK-NEXT{LITERAL}: [[-5 -5]
// CHECK-NEXT{LITERAL}:  [-5 -5]]
// CHECK: all =
// CHECK-NEXT: [True True]
// CHECK: scalar =
// CHECK-NEXT: -0.0
// CHECK: empty =
// CHECK-NEXT: []

func.func @main() -> (tensor<5xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi64>, tensor<2xui64>, tensor<3xi1>, tensor<2x2xi16>, tensor<2xi1>, tensor<f64>, tensor<2x0xf32>) {
  %singles = kolam.constant dense<[-0.0, 0x7FC00000, 0x7F800000, 0xFF800000, 0.1]> : tensor<5xf32>
  // the smallest and the largest number
  %halves = kolam.constant dense<[0x0001, 0x7BFF]> : tensor<2xf16>
  %brains = kolam.constant dense<[-0.0, 2.0]> : tensor<2xbf16>
  %longs = kolam.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  %unsigned = kolam.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %flags = kolam.constant dense<[true, false, true]> : tensor<3xi1>
  %splat = kolam.constant dense<-5> : tensor<2x2xi16>
  %all = kolam.constant dense<true> : tensor<2xi1>
  %scalar = kolam.constant dense<-0.0> : tensor<f64>
  %empty = kolam.constant dense<> : tensor<2x0xf32>
  return %singles, %halves, %brains, %longs, %unsigned, %flags, %splat, %all, %scalar, %empty : tensor<5xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi64>, tensor<2xui64>, tensor<3xi1>, tensor<2x2xi16>, tensor<2xi1>, tensor<f64>, tensor<2x0xf32>
}
