// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.contract sums products over the letters that the result lacks, in the order that the op says. By hand.

// CHECK: product =
// CHECK-NEXT{LITERAL}: [[19 22]
// CHECK-NEXT{LITERAL}:  [43 50]]
// CHECK: batched =
// CHECK-NEXT{LITERAL}: [[[ 5 21]
// CHECK-NEXT{LITERAL}:   [10 28]]
// CHECK{LITERAL}: [[ 6 24]
// CHECK-NEXT{LITERAL}:   [12 32]]]
// CHECK: outer =
// CHECK-NEXT{LITERAL}: [[3 4]
// CHECK-NEXT{LITERAL}:  [6 8]]
// CHECK: alone =
// CHECK-NEXT: [10 20]
// CHECK: wrapped =
// CHECK-NEXT: -112
// CHECK: wide =
// CHECK-NEXT: 400
// CHECK: narrow =
// CHECK-NEXT: 2050.0
// CHECK: nothing =
// CHECK-NEXT{LITERAL}: [[0. 0.]
// CHECK-NEXT{LITERAL}:  [0. 0.]]
// CHECK: empty =
// CHECK-NEXT: []
// CHECK: invalid =
// CHECK-NEXT: nan
// CHECK: hidden =
// CHECK-NEXT{LITERAL}: [[7. 4.]
// CHECK-NEXT{LITERAL}:  [6. 8.]]

func.func @main() -> (tensor<2x2xi32>, tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<i8>, tensor<i32>, tensor<f16>, tensor<2x2xf32>, tensor<0x0xf32>, tensor<f32>, tensor<2x2xf32>) {
  %x = kolam.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = kolam.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %product = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %batched = kolam.contract "bi,bj->jib" %x, %y <"chain<8192>"> : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  %a = kolam.constant dense<[1, 2]> : tensor<2xi32>
  %b = kolam.constant dense<[3, 4]> : tensor<2xi32>
  %outer = kolam.contract "i,j->ij" %a, %b <"chain<8192>"> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  // summed over letters of one operand: (1 + 2 + 3 + 4) times each
  %alone = kolam.contract "ij,k->k" %x, %a <"chain<8192>"> : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // 100 * 2 + 100 * 2 = 400 = 512 - 112
  %c = kolam.constant dense<100> : tensor<2xi8>
  %d = kolam.constant dense<2> : tensor<2xi8>
  %wrapped = kolam.contract "i,i->" %c, %d <"chain<8192>"> : (tensor<2xi8>, tensor<2xi8>) -> tensor<i8>
  %wide = kolam.contract "i,i->" %c, %d <"chain<8192>"> : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
  // f16 has no 2049: a sum in f16 would stay at 2048
  %e = kolam.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %f = kolam.constant dense<1.0> : tensor<3xf16>
  %narrow = kolam.contract "i,i->" %e, %f <"chain<8192>"> : (tensor<3xf16>, tensor<3xf16>) -> tensor<f16>
  %g = kolam.constant dense<> : tensor<2x0xf32>
  %h = kolam.constant dense<> : tensor<0x2xf32>
  %nothing = kolam.contract "ij,jk->ik" %g, %h <"lanes<64>, chunk<4096>"> : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  %empty = kolam.contract "ij,jk->ik" %h, %g <"chain<8192>"> : (tensor<0x2xf32>, tensor<2x0xf32>) -> tensor<0x0xf32>
  // infinity times 0
  %k = kolam.constant dense<[0x7F800000, 1.0]> : tensor<2xf32>
  %l = kolam.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %invalid = kolam.contract "i,i->" %k, %l <"chain<8192>"> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  // row 0 sees k = 0 alone, not the infinity; row 1 sees k = 1
  %m = kolam.constant dense<[[2.0, 0x7F800000], [1.0, 2.0]]> : tensor<2x2xf32>
  %n = kolam.constant dense<[[3.5, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %o = kolam.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %hidden = kolam.contract "ij,jk,ij->ik" %m, %n where %o <"chain"> : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xi1>) -> tensor<2x2xf32>
  return %product, %batched, %outer, %alone, %wrapped, %wide, %narrow, %nothing, %empty, %invalid, %hidden : tensor<2x2xi32>, tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<i8>, tensor<i32>, tensor<f16>, tensor<2x2xf32>, tensor<0x0xf32>, tensor<f32>, tensor<2x2xf32>
}
