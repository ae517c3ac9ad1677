// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// Where windows start: indices of every integer dtype, to their very ends, where start + offset does not fit 64 bits.
// 2^64 - 1 is 0 and -2^63 is 1 modulo 3. By hand.

// CHECK: i8 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: i16 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: i32 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: i64 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: ui8 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: ui16 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: ui32 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: ui64 =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: filled =
// CHECK-NEXT{LITERAL}: [[  1   2]
// CHECK-NEXT{LITERAL}:  [255 255]]
// CHECK: wrapped_unsigned =
// CHECK-NEXT{LITERAL}: [[1 2]
// CHECK-NEXT{LITERAL}:  [1 2]]
// CHECK: wrapped_signed =
// CHECK-NEXT{LITERAL}: [[2 3]
// CHECK-NEXT{LITERAL}:  [2 3]]
// CHECK: signed_ends =
// CHECK-NEXT{LITERAL}: [1 2 3]
// CHECK: unsigned_ends =
// CHECK-NEXT{LITERAL}: [7 8 3]
// CHECK: dropped =
// CHECK-NEXT{LITERAL}: [1 2 3]

func.func @main() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xui8>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %x = kolam.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i8_places = kolam.constant dense<[[-128], [127]]> : tensor<2x1xi8>
  %i8 = kolam.gather %x, %i8_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xi8>) -> tensor<2x2xi32>
  %i16_places = kolam.constant dense<[[-32768], [32767]]> : tensor<2x1xi16>
  %i16 = kolam.gather %x, %i16_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xi16>) -> tensor<2x2xi32>
  %i32_places = kolam.constant dense<[[-2147483648], [2147483647]]> : tensor<2x1xi32>
  %i32 = kolam.gather %x, %i32_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %i64_places = kolam.constant dense<[[-9223372036854775808], [9223372036854775807]]> : tensor<2x1xi64>
  %i64 = kolam.gather %x, %i64_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xi64>) -> tensor<2x2xi32>
  %ui8_places = kolam.constant dense<[[0], [255]]> : tensor<2x1xui8>
  %ui8 = kolam.gather %x, %ui8_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xui8>) -> tensor<2x2xi32>
  %ui16_places = kolam.constant dense<[[0], [65535]]> : tensor<2x1xui16>
  %ui16 = kolam.gather %x, %ui16_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xui16>) -> tensor<2x2xi32>
  %ui32_places = kolam.constant dense<[[0], [4294967295]]> : tensor<2x1xui32>
  %ui32 = kolam.gather %x, %ui32_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xui32>) -> tensor<2x2xi32>
  %ui64_places = kolam.constant dense<[[0], [18446744073709551615]]> : tensor<2x1xui64>
  %ui64 = kolam.gather %x, %ui64_places "clip" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xui64>) -> tensor<2x2xi32>
  %u = kolam.constant dense<[1, 2, 3]> : tensor<3xui8>
  %filled = kolam.gather %u, %ui64_places "fill" dims [0] lengths [2] batched 0 : (tensor<3xui8>, tensor<2x1xui64>) -> tensor<2x2xui8>
  %wrapped_unsigned = kolam.gather %x, %ui64_places "wrap" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xui64>) -> tensor<2x2xi32>
  // 2^63 - 1 is 1 modulo 3
  %wrapped_signed = kolam.gather %x, %i64_places "wrap" dims [0] lengths [2] batched 0 : (tensor<3xi32>, tensor<2x1xi64>) -> tensor<2x2xi32>
  %updates = kolam.constant dense<[[7, 8], [9, 9]]> : tensor<2x2xi32>
  %signed_ends = kolam.scatter "kUpdate" "element" (%x) updates(%updates) at %i64_places dims [0] batched 0 unique false : (tensor<3xi32>, tensor<2x2xi32>, tensor<2x1xi64>) -> tensor<3xi32>
  %unsigned_ends = kolam.scatter "kUpdate" "element" (%x) updates(%updates) at %ui64_places dims [0] batched 0 unique false : (tensor<3xi32>, tensor<2x2xi32>, tensor<2x1xui64>) -> tensor<3xi32>
  %dropped = kolam.scatter "kUpdate" "drop" (%x) updates(%updates) at %i64_places dims [0] batched 0 unique false : (tensor<3xi32>, tensor<2x2xi32>, tensor<2x1xi64>) -> tensor<3xi32>
  return %i8, %i16, %i32, %i64, %ui8, %ui16, %ui32, %ui64, %filled, %wrapped_unsigned, %wrapped_signed, %signed_ends, %unsigned_ends, %dropped : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xui8>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
