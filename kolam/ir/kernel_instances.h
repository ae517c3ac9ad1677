/// Which axes of a kernel's grid count instances of a smaller call, for errors.
#pragma once

#include "kolam/ir/kernels.h"

#include <cstdint>
#include <vector>

namespace kolam::ir {

/// As `vmap` makes them: the first axes of the grid, and of each Ref, of blocks and scratch arrays,
/// so many dims in front of the array.
struct KernelInstances {
  size_t axes = 0;
  std::vector<int64_t> dims; ///< by Ref; empty where there are no such axes
  size_t dims_of(size_t ref) const {
    return ref < dims.size() ? static_cast<size_t>(dims[ref]) : 0;
  }
};

inline constexpr char kKernelInstances[] = "instances";

inline KernelInstances kernel_instances(KernelCallOp call) {
  auto numbers = call->getAttrOfType<mlir::DenseI64ArrayAttr>(kKernelInstances);
  if (!numbers || numbers.empty())
    return {};
  llvm::ArrayRef<int64_t> all = numbers.asArrayRef();
  return {static_cast<size_t>(all.front()), all.drop_front().vec()};
}

inline void set_kernel_instances(KernelCallOp call, const KernelInstances& instances) {
  std::vector<int64_t> all{static_cast<int64_t>(instances.axes)};
  all.insert(all.end(), instances.dims.begin(), instances.dims.end());
  call->setAttr(kKernelInstances, mlir::DenseI64ArrayAttr::get(call->getContext(), all));
}

} // namespace kolam::ir
