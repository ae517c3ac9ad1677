// RUN: split-file %s %t
// RUN: kolam run %t/arguments.mlir --output 0=%t/numbers.npy --output 1=%t/starts.npy
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend interpret | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --backend cpu | FileCheck %s --match-full-lines
// RUN: kolam run %t/program.mlir --input numbers=%t/numbers.npy --input starts=%t/starts.npy --stop-after tensors | FileCheck %s --check-prefix=TENSORS
// RUN: kolam explain %t/program.mlir | FileCheck %s --check-prefix=ORDER
// Kernels on stacked lists: blocks of two, each less its largest element; the largest element of each list, in memory that
// points share.

// CHECK: leaves =
// CHECK-NEXT: [-1 0 0 -1 0]
// CHECK: leaves_0 =
// CHECK-NEXT: [3 5 0]
// TENSORS-NOT: kolam.ref
// ORDER: kernel blocks {{.*}}: a map over the blocks of all rows at once
// ORDER: kernel largest {{.*}}: a scan over the blocks of each row, a step of all rows at once

//--- arguments.mlir
func.func @main() -> (tensor<5xi32>, tensor<4xi64>) {
  %numbers = kolam.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %starts = kolam.constant dense<[0, 3, 5, 5]> : tensor<4xi64>
  return %numbers, %starts : tensor<5xi32>, tensor<4xi64>
}

//--- program.mlir
module {
  func.func @main(%numbers: tensor<?xi32, #kolam.extents<["n0"]>>, %starts: tensor<?xi64, #kolam.extents<["n1"]>>) -> (tensor<?xi32, #kolam.extents<["_3"]>>, tensor<?xi64, #kolam.extents<["_2 + 1"]>>, tensor<?xi32, #kolam.extents<["_4"]>>) {
    %0 = kolam.pack %numbers offsets(%starts) : (tensor<?xi32, #kolam.extents<["n0"]>>, tensor<?xi64, #kolam.extents<["n1"]>>) -> !kolam.list<!kolam.list<tensor<i32>>>
    %1:2 = kolam.list_map over(%0) : (!kolam.list<!kolam.list<tensor<i32>>>) -> (!kolam.list<!kolam.list<tensor<i32>>>, !kolam.list<tensor<i32>>) {
    ^bb0(%arg0: !kolam.list<tensor<i32>>):
      %leaves_1 = kolam.unpack %arg0 symbols ["_0"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_0"]>>
      %3 = kolam.kernel_call "blocks" grid <["ceildiv(_0, 2)"]>(%leaves_1) prefetch 0 blocks [{high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["2"]>}, {high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["2"]>}] scratch [] aliases [-1] semantics [] : (tensor<?xi32, #kolam.extents<["_0"]>>) -> tensor<?xi32, #kolam.extents<["_0"]>> {
      ^bb0(%i: tensor<i32>, %x: !kolam.ref<tensor<2xi32>>, %o: !kolam.ref<tensor<2xi32>>):
        %5 = kolam.ref_read %x : (!kolam.ref<tensor<2xi32>>) -> tensor<2xi32>
        %6 = kolam.reduce "maximum" %5 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2xi32>) -> tensor<i32>
        %7 = kolam.broadcast %6 [] : tensor<i32> -> tensor<2xi32>
        %8 = kolam.elementwise "subtract" %5, %7 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
        kolam.ref_write %o, %8 : !kolam.ref<tensor<2xi32>>, tensor<2xi32>
        kolam.yield
      } maps {
      ^bb0(%i: tensor<i32>):
        kolam.yield %i : tensor<i32>
      }, {
      ^bb0(%i: tensor<i32>):
        kolam.yield %i : tensor<i32>
      }
      %4 = kolam.pack %3 : (tensor<?xi32, #kolam.extents<["_0"]>>) -> !kolam.list<tensor<i32>>
      %9 = kolam.kernel_call "largest" grid <["ceildiv(_0, 2)"]>(%leaves_1) prefetch 0 blocks [{high = array<i64: 0>, kinds = ["blocked"], low = array<i64: 0>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<["2"]>}, {high = array<i64>, kinds = [], low = array<i64>, pad = dense<0> : tensor<i32>, sizes = #kolam.extents<[]>}] scratch [] aliases [-1] semantics [] : (tensor<?xi32, #kolam.extents<["_0"]>>) -> tensor<i32> {
      ^bb0(%i: tensor<i32>, %x: !kolam.ref<tensor<2xi32>>, %o: !kolam.ref<tensor<i32>>):
        %5 = kolam.ref_read %x : (!kolam.ref<tensor<2xi32>>) -> tensor<2xi32>
        %6 = kolam.reduce "maximum" %5 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<2xi32>) -> tensor<i32>
        %7 = kolam.ref_read %o : (!kolam.ref<tensor<i32>>) -> tensor<i32>
        %8 = kolam.elementwise "maximum" %6, %7 : (tensor<i32>, tensor<i32>) -> tensor<i32>
        kolam.ref_write %o, %8 : !kolam.ref<tensor<i32>>, tensor<i32>
        kolam.yield
      } maps {
      ^bb0(%i: tensor<i32>):
        kolam.yield %i : tensor<i32>
      }, {
      ^bb0(%i: tensor<i32>):
        kolam.yield
      }
      kolam.yield %4, %9 : !kolam.list<tensor<i32>>, tensor<i32>
    }
    %leaves, %offsets = kolam.unpack %1#0 symbols ["_2", "_3"] : (!kolam.list<!kolam.list<tensor<i32>>>) -> (tensor<?xi32, #kolam.extents<["_3"]>>, tensor<?xi64, #kolam.extents<["_2 + 1"]>>)
    %leaves_0 = kolam.unpack %1#1 symbols ["_4"] : (!kolam.list<tensor<i32>>) -> tensor<?xi32, #kolam.extents<["_4"]>>
    return %leaves, %offsets, %leaves_0 : tensor<?xi32, #kolam.extents<["_3"]>>, tensor<?xi64, #kolam.extents<["_2 + 1"]>>, tensor<?xi32, #kolam.extents<["_4"]>>
  }
}
