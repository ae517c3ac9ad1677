// Runs users' functions whole and in parts.
#include "kolam/frontend/array/partitioning_check.h"

#include "kolam/driver/run_plan.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/program.h"
#include "kolam/interp/convert.h"
#include "kolam/ir/monoid.h"
#include "kolam/space/region.h"
#include "kolam/support/error.h"
#include "kolam/transform/custom_partitioning.h"

#include <cmath>
#include <mutex>
#include <random>
#include <set>

namespace kolam {
namespace {

using space::Box;
using transform::PartitionedFunction;
using Types = std::vector<std::pair<DType, Shape>>;

/// Bound of the elements that a trial takes or gives.
constexpr int64_t kMostElements = int64_t{1} << 20;
/// Bound of what symbols stand for in a trial.
constexpr int64_t kMostSize = 9;
/// Assumed: so many boxes show what is wrong.
constexpr int kTrials = 12;

space::Point numbers(const Shape& shape) {
  space::Point all;
  for (const Extent& extent : shape)
    all.push_back(*extent.constant());
  return all;
}
Box whole_box(const Array& array) { return Box::of_shape(array.shape()); }

Array random_array(DType dtype, const space::Point& shape, std::mt19937_64& random) {
  Array array = Array::uninitialized(dtype, shape);
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& element : array.mutable_values<T>()) {
      const auto number = static_cast<int64_t>(random() % 13);
      if constexpr (std::is_floating_point_v<T>)
        element = static_cast<T>(number - 6) / static_cast<T>(5);
      else if constexpr (std::is_same_v<T, bool>)
        element = number > 6;
      else if constexpr (std::is_integral_v<T>)
        element = static_cast<T>(number % 5);
      else
        element = T{static_cast<uint16_t>(random() % 0x4000)};
    }
  });
  return array;
}

Array part_of(const Array& array, const Box& box) {
  const driver::PlacedArray whole{array, whole_box(array)};
  return driver::assembled(array.dtype(), box, std::span(&whole, 1));
}

/// The elements of `array` in the box, and those of `other` outside.
Array inside_of(const Array& array, const Box& box, const Array& other) {
  Array joined = Array::copy_of(other.dtype(), other.shape(), other.data());
  const auto width = static_cast<size_t>(byte_width(array.dtype()));
  const auto* from = static_cast<const char*>(array.data());
  auto* to = static_cast<char*>(joined.mutable_data());
  const space::Point shape = array.shape();
  int64_t count = space::size(whole_box(array));
  for (int64_t number = 0; number < count; ++number) {
    space::Point index(shape.size());
    int64_t rest = number;
    for (size_t dim = shape.size(); dim-- > 0;) {
      index[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    if (space::contains(box, index))
      std::memcpy(to + static_cast<size_t>(number) * width,
                  from + static_cast<size_t>(number) * width, width);
  }
  return joined;
}

std::vector<double> as_doubles(const Array& array) {
  const Array wide = interp::convert(array, DType::f64);
  const auto values = wide.values<double>();
  return {values.begin(), values.end()};
}

/// Whether numbers agree but for rounding.
bool are_close(const Array& x, const Array& y) {
  constexpr double kRounding = 0.02; // assumed: of any function in any dtype
  const std::vector<double> a = as_doubles(x), b = as_doubles(y);
  double most = 0;
  for (double number : b)
    most = std::isfinite(number) ? std::max(most, std::abs(number)) : most;
  for (size_t at = 0; at < a.size(); ++at)
    if (!(std::abs(a[at] - b[at]) <= kRounding * most) &&
        !(std::isnan(a[at]) && std::isnan(b[at])) && a[at] != b[at])
      return false;
  return true;
}

class Trial {
public:
  Trial(const PartitionedFunction& of, Types operands) : of_(of), operands_(std::move(operands)) {}

  void run() {
    make_small();
    const Program whole = parse_program(of_.program(operands_), of_.name);
    std::vector<Shape> shapes;
    for (const auto& [dtype, shape] : operands_) {
      shapes.push_back(shape);
      inputs_.push_back(random_array(dtype, numbers(shape), random_));
    }
    Types results;
    for (const TensorSpec& spec : whole.results())
      results.emplace_back(spec.dtype, spec.shape);
    signature_ = transform::bound_signature(of_, shapes, results);
    const std::vector<Array> expected = whole.run(inputs_, Backend::interpret);
    for (int trial = 0; trial < kTrials; ++trial) {
      const Box index = random_index();
      if (space::is_empty(index))
        return;
      const std::vector<Box> reads = reads_of(index);
      for (size_t operand = 0; operand < inputs_.size(); ++operand)
        expect_needs_no_more(whole, expected, index, operand, reads[operand]);
      expect_part(expected, index);
    }
  }

private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorKind::value, "bad-partitioning", "function '" + of_.name + "': " + what);
  }

  std::string name_of(size_t operand) const {
    return "operand " + std::to_string(operand) + " ('" + signature_.operands[operand].name + "')";
  }

  /// Small extents for the symbols of the signature.
  void make_small() {
    const Types actual = operands_;
    std::set<std::string> symbols;
    if (of_.signature)
      for (const space::Operand& operand : of_.signature->operands)
        for (const Extent& extent : operand.shape)
          symbols.merge(extent.symbols());
    for (int trial = 0; !symbols.empty() && trial < kTrials; ++trial) {
      std::map<std::string, int64_t> sizes;
      for (const std::string& symbol : symbols)
        sizes[symbol] = static_cast<int64_t>(random_() % kMostSize) + 1;
      bool are_extents = true;
      for (size_t number = 0; number < of_.signature->operands.size(); ++number) {
        Shape small;
        for (const Extent& extent : of_.signature->operands[number].shape) {
          small.push_back(extent.evaluate(sizes));
          are_extents &= *small.back().constant() > 0;
        }
        if (number < operands_.size())
          operands_[number].second = small;
      }
      if (are_extents && count(operands_) <= kMostElements)
        return;
      operands_ = actual;
    }
    if (count(operands_) > kMostElements)
      refuse(
          "expected extents that are symbols, so that it can be tried on small operands, but they "
          "have " +
          std::to_string(count(operands_)) + " elements");
  }

  static int64_t count(const Types& types) {
    int64_t all = 0;
    for (const auto& [dtype, shape] : types)
      all += space::size(Box::of_shape(numbers(shape)));
    return all;
  }

  Box random_index() {
    Box index = space::index_box(signature_);
    for (int dim = 0; dim < index.rank(); ++dim) {
      const int64_t extent = index.extent(dim);
      if (signature_.dims[static_cast<size_t>(dim)].kind != space::DimKind::map || extent <= 1)
        continue;
      const auto start = static_cast<int64_t>(random_() % static_cast<uint64_t>(extent));
      const auto length =
          static_cast<int64_t>(random_() % static_cast<uint64_t>(extent - start)) + 1;
      index = space::with_range(index, dim, start, start + length);
    }
    return index;
  }

  std::vector<Box> reads_of(const Box& index) const {
    std::vector<Box> reads;
    for (size_t operand = 0; operand < inputs_.size(); ++operand)
      reads.push_back(space::region(signature_.operands[operand].projection, index));
    if (!of_.boxes)
      return reads;
    std::vector<Shape> shapes;
    for (const auto& [dtype, shape] : operands_)
      shapes.push_back(shape);
    return transform::needed_boxes(of_, index, shapes);
  }

  Box write_of(const Box& index, size_t result) const {
    return space::region(signature_.operands[inputs_.size() + result].projection, index);
  }

  /// That results don't change with elements outside of what they are said to need.
  void expect_needs_no_more(const Program& whole, const std::vector<Array>& expected,
                            const Box& index, size_t operand, const Box& read) {
    std::vector<Array> changed = inputs_;
    changed[operand] =
        inside_of(inputs_[operand], read,
                  random_array(inputs_[operand].dtype(), inputs_[operand].shape(), random_));
    const std::vector<Array> given = whole.run(changed, Backend::interpret);
    for (size_t result = 0; result < given.size(); ++result) {
      const Box box = write_of(index, result);
      if (!runtime::same_bits(part_of(given[result], box), part_of(expected[result], box)))
        refuse("expected " + space::to_string(box) + " of result " + std::to_string(result) +
               " to need " + space::to_string(read) + " of " + name_of(operand) +
               ", but it changes with other elements");
    }
  }

  std::vector<Array> run_part(const Box& index) const {
    const std::vector<Box> reads = reads_of(index);
    Types types;
    std::vector<Array> given;
    for (size_t operand = 0; operand < inputs_.size(); ++operand) {
      given.push_back(part_of(inputs_[operand], reads[operand]));
      const space::Point extents = space::shape(reads[operand]);
      types.emplace_back(operands_[operand].first, Shape(extents.begin(), extents.end()));
    }
    return parse_program(of_.program(types), of_.name).run(given, Backend::interpret);
  }

  /// That the function on what a part needs is the part, where sums are cut merged.
  void expect_part(const std::vector<Array>& expected, const Box& index) {
    std::vector<Array> given;
    for (size_t dim = 0; dim < signature_.dims.size(); ++dim)
      if (const int64_t terms = index.extent(static_cast<int>(dim));
          signature_.dims[dim].kind == space::DimKind::reduce && terms > 1) {
        const auto middle = static_cast<int64_t>(random_() % static_cast<uint64_t>(terms - 1)) + 1;
        given = {
            merged(signature_.dims[dim].monoid->id,
                   run_part(space::with_range(index, static_cast<int>(dim), 0, middle))[0],
                   run_part(space::with_range(index, static_cast<int>(dim), middle, terms))[0])};
      }
    if (given.empty())
      given = run_part(index);
    for (size_t result = 0; result < expected.size(); ++result) {
      const Box box = write_of(index, result);
      const Array part = part_of(expected[result], box);
      if (given.size() != expected.size() || given[result].dtype() != part.dtype() ||
          given[result].shape() != part.shape())
        refuse("on operands as " + space::to_string(box) + " of result " + std::to_string(result) +
               " needs them: expected " + runtime::shape_text(part.shape()) + ", but got " +
               (result < given.size() ? runtime::shape_text(given[result].shape()) : "nothing"));
      if (!are_close(given[result], part))
        refuse("on operands as " + space::to_string(box) + " of result " + std::to_string(result) +
               " needs them: expected these elements of the whole result, but got others");
    }
  }

  static Array merged(const std::string& function, const Array& x, const Array& y) {
    const Program merge = trace(
        std::vector<TensorSpec>{{x.dtype(), Shape(x.shape().begin(), x.shape().end())},
                                {y.dtype(), Shape(y.shape().begin(), y.shape().end())}},
        [&](std::vector<Tensor> both) {
          return std::vector<Tensor>{elementwise(*ir::parse_monoid(function), {both[0], both[1]})};
        });
    return merge.run({x, y}, Backend::interpret)[0];
  }

  const PartitionedFunction& of_;
  Types operands_;
  space::Signature signature_;
  std::vector<Array> inputs_;
  std::mt19937_64 random_{1};
};

} // namespace

void check_partitionings(mlir::func::FuncOp main) {
  static std::mutex mutex;
  static std::set<std::string> tried;
  std::map<std::string, std::pair<const PartitionedFunction*, Types>> trials;
  main.walk([&](mlir::Operation* op) {
    const PartitionedFunction* of = transform::partitioning_of(op);
    if (!of)
      return;
    std::string key = std::to_string(reinterpret_cast<uintptr_t>(of));
    Types operands;
    for (mlir::Value operand : op->getOperands()) {
      if (!llvm::all_of(ir::shape_of(operand), [](const Extent& e) { return e.is_constant(); }))
        return;
      operands.emplace_back(ir::dtype_of(operand), ir::shape_of(operand));
      key += " " + std::string(name(operands.back().first)) + to_string(operands.back().second);
    }
    std::lock_guard lock(mutex);
    if (!tried.contains(key))
      trials.try_emplace(key, of, std::move(operands));
  });
  for (auto& [key, trial] : trials) {
    Trial(*trial.first, trial.second).run();
    std::lock_guard lock(mutex);
    tried.insert(key);
  }
}

} // namespace kolam
