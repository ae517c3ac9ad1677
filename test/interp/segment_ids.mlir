// RUN: kolam run %s --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %s --backend cpu | FileCheck %s --match-full-lines
// kolam.segment_ids: whose element each is; empty segments have none. By hand.

// CHECK: ids =
// CHECK-NEXT: [1 1 1 3 4 4]
// CHECK: none =
// CHECK-NEXT: []
// CHECK: read =
// CHECK-NEXT: [21. 22. 23. 44. 55. 56.]
// CHECK: behind =
// CHECK-NEXT: [1 1 3 4 4]

func.func @main() -> (tensor<6xi64>, tensor<0xi64>, tensor<6xf32>, tensor<5xi64>) {
  %offsets = kolam.constant dense<[0, 0, 3, 3, 4, 6, 6]> : tensor<7xi64>
  %ids = kolam.segment_ids %offsets : (tensor<7xi64>) -> tensor<6xi64>
  %empty = kolam.constant dense<0> : tensor<3xi64>
  %none = kolam.segment_ids %empty : (tensor<3xi64>) -> tensor<0xi64>
  // read by segments: what an element adds to a number of its segment
  %tens = kolam.constant dense<[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]> : tensor<6xf32>
  %x = kolam.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %places = kolam.expand_dims %ids [1] : tensor<6xi64> -> tensor<6x1xi64>
  %rows = kolam.gather %tens, %places "promise" dims [0] lengths [1] batched 0 : (tensor<6xf32>, tensor<6x1xi64>) -> tensor<6x1xf32>
  %own = kolam.squeeze %rows [1] : tensor<6x1xf32> -> tensor<6xf32>
  %read = kolam.elementwise "add" %own, %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  // not by segments: the elements behind the first
  %behind = kolam.slice %ids <["1"]> [1] : tensor<6xi64> -> tensor<5xi64>
  return %ids, %none, %read, %behind : tensor<6xi64>, tensor<0xi64>, tensor<6xf32>, tensor<5xi64>
}
