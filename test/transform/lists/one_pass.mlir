// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --stop-after tensors | FileCheck %s --check-prefix=SCAN
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// Scans of many lists as one scan over all elements, also of lists without any: 3 s + x from 1 on, from the end.

// CHECK: leaves =
// CHECK-NEXT: [58 19  6  7 50 15]
// CHECK: last =
// CHECK-NEXT: [58  1  7 50]

// The flags of first elements are one of what it goes over.
// SCAN: kolam.scatter
// SCAN: kolam.scan carry(%{{.*}}) over(%{{.*}}, %{{.*}}) {{.*}}reverse true
// SCAN: kolam.elementwise "where" %arg{{.*}}tensor<i1>, tensor<i32>, tensor<i32>
// SCAN-NOT: kolam.for
// ORDER: one pass over the elements of all lists, which starts anew where a list begins

//--- arguments.mlir
func.func @main() -> (tensor<6xi32>, tensor<5xi64>) {
  %numbers = kolam.constant dense<[1, 1, 3, 4, 5, 12]> : tensor<6xi32>
  %starts = kolam.constant dense<[0, 3, 3, 4, 6]> : tensor<5xi64>
  return %numbers, %starts : tensor<6xi32>, tensor<5xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi32, #kolam.extents<["_2"]>>) {
    %0 = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1:2 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> (!kolam.list<!kolam.list<tensor<i32>>>, !kolam.list<tensor<i32>>) {
    ^bb0(%arg2: !kolam.list<tensor<i32>>):
      %2 = kolam.constant dense<1> : tensor<i32>
      %3:2 = kolam.list_scan carry(%2) over(%arg2) reverse true associative false : (tensor<i32>, !kolam.list<tensor<i32>>) -> (tensor<i32>, !kolam.list<tensor<i32>>) {
      ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
        %4 = kolam.constant dense<3> : tensor<i32>
        %5 = kolam.elementwise "multiply" %arg3, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %6 = kolam.elementwise "add" %5, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.yield %6 : tensor<i32>
      }
      kolam.yield %3#1, %3#0 : !kolam.list<tensor<i32>>, tensor<i32>
    }
    %leaves, %offsets = kolam.unpack %1#0 symbols ["_0", "_1"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi64, #kolam.extents<["_0 + 1"]>>)
    %last = kolam.unpack %1#1 symbols ["_2"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_2"]>>
    return %leaves, %last : tensor<?xi32, #kolam.extents<["_1"]>>, tensor<?xi32, #kolam.extents<["_2"]>>
  }
}
