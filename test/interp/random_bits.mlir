// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.random_bits: bits by key and position. The blocks of key 0 begin 6b200159 99ba4efe (threefry2x32-20) and
// 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (philox4x32-10), those of philox at key 345 and block 230 are 1521bc06 e576cc08
// 0d9aa15b bc5c2f59 (Random123's known answers); the other threefry blocks were computed from the paper's rounds by a
// second program.

// CHECK: words =
// CHECK-NEXT{LITERAL}: [[4070199207 4202968722]
// CHECK-NEXT{LITERAL}:  [1427181096 2012915765]]
// CHECK: bytes =
// CHECK-NEXT: [167 146 40 53]
// CHECK: shorts =
// CHECK-NEXT: [20391 13970 3624 43061]
// CHECK: longs =
// CHECK-NEXT: [7719171245655871230 3989946895414531357]
// CHECK: two_keys =
// CHECK-NEXT{LITERAL}: [[4070199207 4202968722 1427181096]
// CHECK-NEXT{LITERAL}:  [ 892857190 1689167001 1295197138]]
// CHECK: philox =
// CHECK-NEXT: [1713891541 3781805453 3159862348 2600524760]
// CHECK: philox_bytes =
// CHECK-NEXT: [213 141 76 216]
// CHECK: philox_longs =
// CHECK-NEXT: [ 7361108121267848589 13571505447122295768]
// CHECK: later_block =
// CHECK-NEXT: [ 354532358 3849767944 228237659 3160158041]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<2x2xui32>, tensor<4xui8>, tensor<4xui16>, tensor<2xui64>, tensor<2x3xui32>, tensor<4xui32>, tensor<4xui8>, tensor<2xui64>, tensor<4xui32>, tensor<0xui32>) {
  %key = kolam.constant dense<0> : tensor<2xui32>
  // 32 bits are the two words of a block, xored; fewer are the low ones of these
  %words = kolam.random_bits "threefry" %key : tensor<2xui32> -> tensor<2x2xui32>
  %bytes = kolam.random_bits "threefry" %key : tensor<2xui32> -> tensor<4xui8>
  %shorts = kolam.random_bits "threefry" %key : tensor<2xui32> -> tensor<4xui16>
  %longs = kolam.random_bits "threefry" %key : tensor<2xui32> -> tensor<2xui64>
  // positions start anew for every key
  %keys = kolam.constant dense<[[0, 0], [7, 11]]> : tensor<2x2xui32>
  %two_keys = kolam.random_bits "threefry" %keys : tensor<2x2xui32> -> tensor<2x3xui32>
  %philox = kolam.random_bits "philox" %key : tensor<2xui32> -> tensor<4xui32>
  %philox_bytes = kolam.random_bits "philox" %key : tensor<2xui32> -> tensor<4xui8>
  %philox_longs = kolam.random_bits "philox" %key : tensor<2xui32> -> tensor<2xui64>
  %other = kolam.constant dense<[345, 0]> : tensor<2xui32>
  %many = kolam.random_bits "philox" %other : tensor<2xui32> -> tensor<924xui32>
  %later_block = kolam.slice %many <["920"]> [1] : tensor<924xui32> -> tensor<4xui32>
  %none = kolam.random_bits "threefry" %key : tensor<2xui32> -> tensor<0xui32>
  return %words, %bytes, %shorts, %longs, %two_keys, %philox, %philox_bytes, %philox_longs, %later_block, %none : tensor<2x2xui32>, tensor<4xui8>, tensor<4xui16>, tensor<2xui64>, tensor<2x3xui32>, tensor<4xui32>, tensor<4xui8>, tensor<2xui64>, tensor<4xui32>, tensor<0xui32>
}
