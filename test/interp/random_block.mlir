// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.random_block: the known answers of threefry2x32-20 (Random123's kat_vectors), one block a row.

// CHECK: blocks =
// CHECK-NEXT{LITERAL}: [[1797259609 2579123966]
// CHECK-NEXT:  [ 481924860 3137350631]
// CHECK-NEXT{LITERAL}:  [3297917596 1212020640]]
// CHECK: one =
// CHECK-NEXT: [1797259609 2579123966]
// CHECK: none =
// CHECK-NEXT: []

func.func @main() -> (tensor<3x2xui32>, tensor<2xui32>, tensor<0x2xui32>) {
  %keys = kolam.constant dense<[[0, 0], [0xFFFFFFFF, 0xFFFFFFFF], [0x13198A2E, 0x03707344]]> : tensor<3x2xui32>
  %counters = kolam.constant dense<[[0, 0], [0xFFFFFFFF, 0xFFFFFFFF], [0x243F6A88, 0x85A308D3]]> : tensor<3x2xui32>
  %blocks = kolam.random_block %keys, %counters : tensor<3x2xui32>, tensor<3x2xui32> -> tensor<3x2xui32>
  %zero = kolam.constant dense<0> : tensor<2xui32>
  %one = kolam.random_block %zero, %zero : tensor<2xui32>, tensor<2xui32> -> tensor<2xui32>
  %no = kolam.constant dense<> : tensor<0x2xui32>
  %none = kolam.random_block %no, %no : tensor<0x2xui32>, tensor<0x2xui32> -> tensor<0x2xui32>
  return %blocks, %one, %none : tensor<3x2xui32>, tensor<2xui32>, tensor<0x2xui32>
}
