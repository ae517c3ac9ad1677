// The stacked grid RNN of the FractalTensor document, as it is written there, against plain loops.
//
// Two things differ from the document, whose own shapes ask for them: states are joined along axis
// 1, and lists are passed by capture where Python passes keywords.
#include "test/frontend/fractal/everywhere.h"

#include <cmath>
#include <random>

namespace kolam::fractal::test {
namespace {

namespace ops = kolam::fractal;

constexpr int64_t kHidden = 3, kWords = 5;

using Words = FractalTensor<Tensor>;
using Grid = FractalTensor<Words>;
using RnnParams = std::tuple<Tensor, Tensor, Tensor>; // i2h, h2h, bias
using BlockParams = std::tuple<RnnParams, RnnParams>; // of the two directions

Tensor vanilla_cell(Tensor state, Tensor cur, RnnParams rnn_params) {
  auto [i2h, h2h, bias] = rnn_params;
  return tanh(matmul(cur, i2h) + matmul(state, h2h) + bias);
}

std::tuple<Tensor, Tensor> grid_cell(std::tuple<Tensor, Tensor> state,
                                     std::tuple<Tensor, std::tuple<Tensor, Tensor>> cur_input,
                                     BlockParams block_params) {
  auto [unused, state_y] = state;
  auto [state_x, input] = cur_input;
  auto [x_t, y_t] = input;
  auto [rnn_param_x, rnn_param_y] = block_params;
  Tensor s = concat({state_x, state_y}, 1);
  Tensor h_x = vanilla_cell(x_t, s, rnn_param_x);
  Tensor h_y = vanilla_cell(y_t, s, rnn_param_y);
  return {h_x, h_y};
}

std::tuple<Words, Words> direction_y(std::tuple<Words, Words> state,
                                     std::tuple<Words, Words> cur_input, BlockParams block_params) {
  auto [state_xs, unused] = state;
  auto [xs, ys] = cur_input;
  Tensor zero = zeros({1, kHidden});
  return ops::scan(
      [&](std::tuple<Tensor, Tensor> state,
          std::tuple<Tensor, std::tuple<Tensor, Tensor>> cur_input) {
        return grid_cell(state, cur_input, block_params);
      },
      ops::zip(state_xs, ops::zip(xs, ys)), std::tuple(zero, zero));
}

Iterator<Words, Words> direction_x(Iterator<Words, Words> state, BlockParams block_params) {
  auto [xss, yss] = state;
  Words zeros_ = ops::repeat(zeros({1, kHidden}), ops::length(xss[0]));
  auto [h_x, h_y] = ops::scan(
      [&](std::tuple<Words, Words> state, std::tuple<Words, Words> cur_input) {
        return direction_y(state, cur_input, block_params);
      },
      state, std::tuple(zeros_, zeros_));
  return ops::zip(h_x, h_y);
}

struct Model {
  Tensor src_embedding, trg_embedding;
  FractalTensor<BlockParams> rnn_params;
  friend auto fields(Model& model) {
    return std::tie(model.src_embedding, model.trg_embedding, model.rnn_params);
  }
};

Iterator<Words, Words> stacked_grid_rnns(std::tuple<Words, Words> sent_pair, Model model) {
  auto [srcs, trgs] = sent_pair;
  auto encode = [](const Tensor& embedding) {
    return [&embedding](Tensor word) { return ops::index(ops::slices(embedding, 0), word); };
  };
  Words src_encs = ops::map(encode(model.src_embedding), srcs);
  Words trg_encs = ops::map(encode(model.trg_embedding), trgs);
  auto [columns, rows] = ops::product(src_encs, trg_encs);
  return ops::fold(direction_x, model.rnn_params, ops::zip(columns, rows));
}

std::tuple<FractalTensor<Grid>, FractalTensor<Grid>> batch(Grid src_batch, Grid trg_batch,
                                                           Model model) {
  return ops::map(
      [&](std::tuple<Words, Words> sent_pair) { return stacked_grid_rnns(sent_pair, model); },
      ops::zip(src_batch, trg_batch));
}

// --- The same in plain loops.

using Row = std::vector<double>;
struct Cell {
  Row x, y;
};

std::span<const float> values(const Tensor& tensor) { return tensor.array().values<float>(); }

/// tanh(s @ i2h + input @ h2h + bias): the document's call passes the input as the state.
Row plain_cell(const Row& s, const Row& input, const RnnParams& params) {
  auto i2h = values(std::get<0>(params)), h2h = values(std::get<1>(params)),
       bias = values(std::get<2>(params));
  Row result(kHidden);
  for (int64_t j = 0; j < kHidden; ++j) {
    double sum = bias[j];
    for (size_t k = 0; k < s.size(); ++k)
      sum += s[k] * i2h[k * kHidden + j];
    for (size_t k = 0; k < input.size(); ++k)
      sum += input[k] * h2h[k * kHidden + j];
    result[j] = std::tanh(sum);
  }
  return result;
}

/// The cells [target word][source word] of all layers on one pair of sentences.
std::vector<std::vector<Cell>> plain(const std::vector<int64_t>& src,
                                     const std::vector<int64_t>& trg, const Model& model) {
  auto row_of = [](const Tensor& embedding, int64_t word) {
    auto all = values(embedding);
    return Row(all.begin() + word * kHidden, all.begin() + (word + 1) * kHidden);
  };
  std::vector<std::vector<Cell>> grid(trg.size(), std::vector<Cell>(src.size()));
  for (size_t i = 0; i < trg.size(); ++i)
    for (size_t j = 0; j < src.size(); ++j)
      grid[i][j] = {row_of(model.src_embedding, src[j]), row_of(model.trg_embedding, trg[i])};
  for (const BlockParams& params : model.rnn_params)
    for (size_t i = 0; i < trg.size(); ++i)
      for (size_t j = 0; j < src.size(); ++j) {
        Row s = i ? grid[i - 1][j].x : Row(kHidden); // along the target
        Row along_source = j ? grid[i][j - 1].y : Row(kHidden);
        s.insert(s.end(), along_source.begin(), along_source.end());
        Cell& cell = grid[i][j];
        cell = {plain_cell(s, cell.x, std::get<0>(params)),
                plain_cell(s, cell.y, std::get<1>(params))};
      }
  return grid;
}

class GridRnn : public testing::Test {
protected:
  Tensor draw(std::vector<int64_t> shape) {
    Array array = Array::uninitialized(DType::f32, std::move(shape));
    std::uniform_real_distribution<float> distribution(-0.5f, 0.5f);
    for (float& value : array.mutable_values<float>())
      value = distribution(random_);
    return array;
  }
  RnnParams draw_params() {
    Tensor i2h = draw({2 * kHidden, kHidden}), h2h = draw({kHidden, kHidden});
    return {i2h, h2h, draw({1, kHidden})};
  }
  Model draw_model(int depth) {
    Tensor src = draw({kWords, kHidden}), trg = draw({kWords, kHidden});
    std::vector<BlockParams> layers;
    for (int layer = 0; layer < depth; ++layer) {
      RnnParams x = draw_params();
      layers.emplace_back(x, draw_params());
    }
    return {src, trg, FractalTensor<BlockParams>(layers)};
  }

  std::mt19937 random_{17};
};

/// Cells [pair][target][source] of one direction agree with the plain ones. Sums of 6 + 3 products
/// of numbers below 1 in float32, through two layers of tanh: some units of 2^-24 each.
void expect_close(const FractalTensor<Grid>& found,
                  const std::vector<std::vector<std::vector<Cell>>>& grids, Row Cell::* direction) {
  ASSERT_EQ(found.size(), static_cast<int64_t>(grids.size()));
  for (size_t pair = 0; pair < grids.size(); ++pair) {
    Grid grid = found[pair];
    ASSERT_EQ(grid.size(), static_cast<int64_t>(grids[pair].size()));
    for (size_t i = 0; i < grids[pair].size(); ++i) {
      Words row = grid[i];
      ASSERT_EQ(row.size(), static_cast<int64_t>(grids[pair][i].size()));
      for (size_t j = 0; j < grids[pair][i].size(); ++j)
        for (int64_t k = 0; k < kHidden; ++k)
          EXPECT_NEAR(values(row[j])[k], (grids[pair][i][j].*direction)[k], 2e-6)
              << pair << " " << i << " " << j << " " << k;
    }
  }
}

TEST_F(GridRnn, AgreesWithPlainLoops) {
  Model model = draw_model(2);
  Grid src = ops::list<int64_t>({{0, 1, 2, 3}, {4}, {2, 2, 1}}),
       trg = ops::list<int64_t>({{1, 0}, {3, 2, 1}, {0, 4, 2, 1, 3}});
  std::vector<std::vector<std::vector<Cell>>> expected = {plain({0, 1, 2, 3}, {1, 0}, model),
                                                          plain({4}, {3, 2, 1}, model),
                                                          plain({2, 2, 1}, {0, 4, 2, 1, 3}, model)};
  auto [x_outs, y_outs] = everywhere(batch, src, trg, model);
  expect_close(x_outs, expected, &Cell::x);
  expect_close(y_outs, expected, &Cell::y);
}

} // namespace
} // namespace kolam::fractal::test
