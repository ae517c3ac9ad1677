// kolam.attention: each query row by itself, its keys in blocks, straight from the definition.
#include "kolam/ir/attention.h"

#include "kolam/interp/accumulation.h"
#include "kolam/interp/convert.h"
#include "kolam/interp/elements.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/support/scalar/float_arithmetic.h"
#include "kolam/support/scalar/host_builder.h"
#include "kolam/support/scalar/log.h"

namespace kolam::interp {
namespace {

/// The index of an operand's leading dims that an index of the result's reads, and room for more.
Index leading_of(const Index& result_index, const std::vector<int64_t>& result,
                 const std::vector<int64_t>& operand) {
  Index index;
  for (size_t dim = 0; dim + 2 < result.size(); ++dim)
    index.push_back(operand[dim] == 0 ? 0 : result_index[dim] / (result[dim] / operand[dim]));
  return index;
}

/// Which keys take part for a query.
class Visibility {
public:
  Visibility(ir::AttentionOp op, Evaluation& e)
      : op_(op), e_(e), result_(e.sizes(op.getResult().getType())) {
    if (op.getMask())
      mask_ = e.get(op.getMask());
    if (op.getQSegments()) {
      q_segments_ = e.get(op.getQSegments());
      k_segments_ = e.get(op.getKSegments());
    }
    captures_ = arrays_of(op.getCaptures(), e);
  }

  bool operator()(const Index& leading, int64_t i, int64_t j) {
    if (op_.getLeft() &&
        j < i - static_cast<int64_t>(std::min<uint64_t>(*op_.getLeft(), INT64_MAX)))
      return false;
    if (op_.getRight() && j - i > static_cast<int64_t>(*op_.getRight()))
      return false;
    return shows_mask(leading, i, j) && is_one_segment(leading, i, j) &&
           shows_region(leading, i, j);
  }

  /// Where a mask is of floats: what it adds to the score.
  std::optional<double> bias(const Index& leading, int64_t i, int64_t j) {
    if (!op_.getMask() || mask_.dtype() == DType::boolean)
      return std::nullopt;
    int64_t cell = mask_cell(leading, i, j);
    return mask_.dtype() == DType::f32 ? mask_.values<float>()[cell] : mask_.values<double>()[cell];
  }

private:
  int64_t mask_cell(const Index& leading, int64_t i, int64_t j) const {
    const std::vector<int64_t>& shape = mask_.shape();
    Index index = leading_of(leading, result_, shape);
    index.push_back(shape[shape.size() - 2] == 1 ? 0 : i);
    index.push_back(shape.back() == 1 ? 0 : j);
    return ravel(index, shape);
  }

  bool shows_mask(const Index& leading, int64_t i, int64_t j) {
    if (!op_.getMask())
      return true;
    if (auto added = bias(leading, i, j))
      return *added != -std::numeric_limits<double>::infinity();
    return mask_.values<bool>()[mask_cell(leading, i, j)];
  }

  bool is_one_segment(const Index& leading, int64_t i, int64_t j) {
    if (!op_.getQSegments())
      return true;
    auto segment = [&](const Array& segments, int64_t place) {
      Index index = leading_of(leading, result_, segments.shape());
      index.push_back(place);
      return cell(segments, index);
    };
    return std::memcmp(segment(q_segments_, i), segment(k_segments_, j),
                       byte_width(q_segments_.dtype())) == 0;
  }

  bool shows_region(const Index& leading, int64_t i, int64_t j) {
    if (op_.getVisible().empty())
      return true;
    int64_t batch = 0;
    for (size_t dim = 0; dim + 1 < leading.size(); ++dim)
      batch = batch * result_[dim] + leading[dim];
    DType dtype = ir::dtype_of(op_.getVisible().getArgument(0));
    std::vector<Array> arguments;
    for (int64_t place : {batch, leading.empty() ? 0 : leading.back(), i, j})
      arguments.push_back(convert(Array::scalar(place), dtype));
    return e_.run(op_.getVisible(), joined({arguments, captures_}))[0].item<bool>();
  }

  ir::AttentionOp op_;
  Evaluation& e_;
  std::vector<int64_t> result_;
  Array mask_, q_segments_, k_segments_;
  std::vector<Array> captures_;
};

/// The rows of one query head, in T: float or double.
template <class T> class Rows {
public:
  /// `q` points to the head's first row, `k` and `v` to the first key's.
  Rows(const T* q, const T* k, const T* v, int64_t d, int64_t keys, int64_t e, T scale, bool fused)
      : q_(q), k_(k), v_(v), d_(d), keys_(keys), e_(e), scale_(scale), fused_(fused), o_(e) {}

  /// Row i: `is_visible(j)` says which keys take part, `bias(j)` what is added to their scores.
  /// Gives lse.
  template <class IsVisible, class Bias>
  T run(int64_t i, IsVisible is_visible, Bias bias, T* result) {
    max_ = -std::numeric_limits<T>::infinity();
    sum_ = 0;
    std::fill(o_.begin(), o_.end(), T(0));
    for (int64_t block = 0; block < keys_; block += ir::kAttentionKeys) {
      places_.clear();
      scores_.clear();
      for (int64_t j = block; j < std::min(block + ir::kAttentionKeys, keys_); ++j) {
        if (!is_visible(j))
          continue;
        places_.push_back(j);
        scores_.push_back(bias(j, score(i, j)));
      }
      if (!places_.empty())
        add_block(block);
    }
    for (int64_t column = 0; column < e_; ++column)
      result[column] = sum_ == 0 ? T(0) : o_[column] / sum_;
    return max_ + scalar::log<kDType>(host_, sum_);
  }

private:
  static constexpr DType kDType = dtype_of<T>();

  T multiply_add(T x, T y, T sum) const { return fused_ ? std::fma(x, y, sum) : sum + x * y; }

  T score(int64_t i, int64_t j) const {
    auto chain = [&](int64_t first, int64_t count) {
      T sum = 0;
      for (int64_t l = first; l < first + count; ++l)
        sum = multiply_add(q_[i * d_ + l], k_[j * d_ + l], sum);
      return sum;
    };
    auto add = [](T x, T y) { return x + y; };
    return accumulate_chunks<T>(kContractChain.chunk, 1, d_, chain, add).value_or(T(0)) * scale_;
  }

  void add_block(int64_t block) {
    static_assert(ir::kAttentionKeys <= kContractChain.chunk); // products with v are one chain
    T max = max_;
    for (T score : scores_)
      max = host_.maximum(max, score);
    T shift = std::isfinite(max) ? max : T(0);
    for (T& score : scores_)
      score = scalar::exp<kDType>(host_, score - shift); // now a weight
    T keep = scalar::exp<kDType>(host_, max_ - shift);
    sum_ = sum_ * keep + sum_of_weights(block);
    for (int64_t column = 0; column < e_; ++column) {
      T found = 0;
      for (size_t n = 0; n < places_.size(); ++n)
        found = multiply_add(scores_[n], v_[places_[n] * e_ + column], found);
      o_[column] = o_[column] * keep + found;
    }
    max_ = max;
  }

  /// In lanes from the block's start; a weight is never -0, so lanes may start at +0.
  T sum_of_weights(int64_t block) const {
    T lanes[ir::kAttentionLanes] = {};
    for (size_t n = 0; n < places_.size(); ++n)
      lanes[(places_[n] - block) % ir::kAttentionLanes] += scores_[n];
    for (int64_t half = ir::kAttentionLanes / 2; half >= 1; half /= 2)
      for (int64_t lane = 0; lane < half; ++lane)
        lanes[lane] += lanes[lane + half];
    return lanes[0];
  }

  const T *q_, *k_, *v_;
  int64_t d_, keys_, e_;
  T scale_;
  bool fused_;
  mutable scalar::HostBuilder host_;
  T max_ = 0, sum_ = 0;
  std::vector<T> o_, scores_;
  std::vector<int64_t> places_;
};

template <class T>
void run_heads(ir::AttentionOp op, Evaluation& e, Array& result, std::optional<Array>& lse) {
  DType dtype = dtype_of<T>();
  Array q = convert(e.get(op.getQ()), dtype), k = convert(e.get(op.getK()), dtype),
        v = convert(e.get(op.getV()), dtype);
  std::vector<int64_t> shape = result.shape(), heads(shape.begin(), shape.end() - 2);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  T scale = e.get(op.getScale()).item<T>();
  Visibility visibility(op, e);
  T* out = result.mutable_values<T>().data();
  T* kept = lse ? lse->mutable_values<T>().data() : nullptr;
  auto head_of = [&](const Array& array, const Index& leading) {
    Index index = leading_of(leading, shape, array.shape());
    index.resize(shape.size(), 0);
    return array.values<T>().data() + ravel(index, array.shape());
  };
  for_each_index(heads, [&](const Index& leading) {
    Rows<T> head(head_of(q, leading), head_of(k, leading), head_of(v, leading), q.shape().back(),
                 k.shape()[shape.size() - 2], columns, scale, e.options().fused_multiply_add);
    for (int64_t i = 0; i < rows; ++i, out += columns) {
      poll_cancel(e.options());
      auto is_visible = [&](int64_t j) { return visibility(leading, i, j); };
      auto add_bias = [&](int64_t j, T score) {
        auto bias = visibility.bias(leading, i, j);
        return bias ? score + static_cast<T>(*bias) : score;
      };
      T row_lse = head.run(i, is_visible, add_bias, out);
      if (kept)
        *kept++ = row_lse;
    }
  });
}

} // namespace

void evaluate_op(ir::AttentionOp op, Evaluation& e) {
  Array result =
      Array::uninitialized(ir::dtype_of(op.getScale()), e.sizes(op.getResult().getType()));
  std::optional<Array> lse;
  if (op.getLse())
    lse = Array::uninitialized(result.dtype(), e.sizes(op.getLse().getType()));
  if (result.dtype() == DType::f32)
    run_heads<float>(op, e, result, lse);
  else
    run_heads<double>(op, e, result, lse);
  if (lse)
    e.set(op.getLse(), *lse);
  e.set(op.getResult(), convert(result, ir::dtype_of(op.getResult())));
}

} // namespace kolam::interp
