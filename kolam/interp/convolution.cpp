// kolam.convolution: result[n, y, o] = sum over window positions k and channels c of the group of o
// of input[n, strides y + dilation k - low, c] * filter[k, c, o], in the op's accumulation order.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/product.h"

namespace kolam::interp {

void evaluate_op(ir::ConvolutionOp op, Evaluation& e) {
  const Array& input = e.get(op.getInput());
  const Array& filter = e.get(op.getFilter());
  Array result = e.make(op.getResult());
  size_t rank = input.shape().size() - 2;
  int64_t group_channels = filter.shape()[rank];
  int64_t group_outputs = result.shape().back() / op.getGroups();

  // One entry a summed element, in the order they are added.
  std::vector<Index> summed;
  for_each_index({filter.shape().begin(), filter.shape().end() - 1},
                 [&](const Index& cell) { summed.push_back(cell); });

  Products products(input, filter, result, ir::accumulate_of(op.getAccumulate()),
                    e.options().fused_multiply_add);
  int64_t out = 0;
  for_each_index(e, result.shape(), [&](const Index& index) {
    int64_t output = index.back(), group = output / group_outputs;
    products.sum(out++, static_cast<int64_t>(summed.size()), [&](int64_t k) {
      poll_cancel(e.options());
      Index filter_cell = summed[k], input_cell{index[0]};
      bool inside = true;
      for (size_t dim = 0; dim < rank; ++dim) {
        int64_t place = op.getStrides()[dim] * index[dim + 1] +
                        op.getDilation()[dim] * summed[k][dim] - op.getLow()[dim];
        inside &= place >= 0 && place < input.shape()[dim + 1];
        input_cell.push_back(place);
      }
      input_cell.push_back(group * group_channels + summed[k].back());
      filter_cell.push_back(output);
      return CellPair{inside ? ravel(input_cell, input.shape()) : -1,
                      ravel(filter_cell, filter.shape())};
    });
  });
  e.set(op.getResult(), products.finish());
}

} // namespace kolam::interp
