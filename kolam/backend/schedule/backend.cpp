// Keeps nests and schedules as text; a call runs them.
#include "kolam/backend/schedule/backend.h"

#include "kolam/backend/schedule/run.h"
#include "kolam/ir/dialect.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include <cstring>
#include <mutex>
#include <new>

namespace kolam::backend::schedule {
namespace {

/// The schedule, a line of dashes, the nest.
constexpr llvm::StringLiteral kBetween = "---\n";

class NestText : public UnfinishedNest {
public:
  explicit NestText(std::string text) : text_(std::move(text)) {}
  std::string finish(Tools&) override { return std::move(text_); }

private:
  std::string text_;
};

/// A nest read again, in a context of its own.
class RunNest : public LoadedNest {
public:
  RunNest(llvm::StringRef schedule, const std::string& nest, bool has_fma)
      : context_(mlir::MLIRContext::Threading::DISABLED), has_fma_(has_fma) {
    context_.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
    schedule_ = nest::parse_schedule(schedule.str());
    nest_ = nest::read_isolated(nest, context_);
    code_ = {call, this};
  }

private:
  static int32_t call(abi::Context* context, void* const* buffers, const int64_t* extents,
                      int64_t begin, int64_t, abi::ErrorRecord* error) {
    if (begin != 0)
      return abi::ok; // the first part runs all of the range
    const auto& nest = *static_cast<const RunNest*>(context->nest);
    int64_t failed_at = 0;
    const int32_t code = nest.run(context, buffers, extents, failed_at);
    *error = {code, 0, failed_at};
    return code;
  }

  int32_t run(abi::Context* context, void* const* buffers, const int64_t* extents,
              int64_t& failed_at) const {
    const nest::Nest& nest = nest_.nest;
    if (nest.packs)
      return abi::ok;             // readers take the columns from where they lie
    std::lock_guard lock(mutex_); // MLIR's context has one user
    std::map<std::string, int64_t> sizes;
    for (const auto& [number, symbol] : llvm::enumerate(nest.symbols))
      sizes[symbol] = extents[number];
    std::vector<Array> inputs;
    for (const auto& [number, input] : llvm::enumerate(nest.inputs))
      inputs.push_back(read(buffers[nest.outputs.size() + number], input, sizes));
    interp::Options options;
    options.fused_multiply_add = has_fma_;
    options.cancel = context->cancel;
    constexpr int kThreads = 3;
    try {
      if (auto check = llvm::dyn_cast<ir::CheckOp>(nest.root)) {
        std::optional<int64_t> failed = first_failure(nest, sizes, inputs, options);
        failed_at = failed.value_or(0);
        return failed ? abi::check_failed : abi::ok;
      }
      ScheduleRun done = run_schedule(schedule_, nest, sizes, inputs, kThreads, options);
      if (!done.faults.empty())
        return abi::faulty;
      for (const auto& [number, result] : llvm::enumerate(done.results))
        write(result, buffers[number], nest.outputs[number], sizes);
      return abi::ok;
    } catch (const Error& e) {
      return e.slug() == "cancelled"         ? abi::cancelled
             : e.kind() == ErrorKind::memory ? abi::out_of_memory
                                             : abi::faulty;
    } catch (const std::bad_alloc&) {
      return abi::out_of_memory;
    }
  }

  /// A value from its buffer, however that lies.
  Array read(const void* buffer, mlir::Value value,
             const std::map<std::string, int64_t>& sizes) const {
    std::vector<int64_t> shape = shape_of(value, sizes), strides;
    DType dtype = ir::dtype_of(value);
    const space::Layout* layout = nest_.nest.layout_of(value);
    if (!layout)
      return Array::copy_of(dtype, shape, buffer);
    for (const Extent& stride : layout->strides)
      strides.push_back(stride.evaluate(sizes) * byte_width(dtype));
    int64_t first = layout->offset.evaluate(sizes) * byte_width(dtype);
    return Array::copy_strided(dtype, shape, static_cast<const std::byte*>(buffer) + first,
                               strides);
  }
  void write(const Array& array, void* buffer, mlir::Value value,
             const std::map<std::string, int64_t>& sizes) const {
    const int64_t width = byte_width(array.dtype());
    const auto* from = static_cast<const std::byte*>(array.data());
    auto* to = static_cast<std::byte*>(buffer);
    const space::Layout* layout = nest_.nest.layout_of(value);
    if (!layout)
      std::memcpy(to, from, static_cast<size_t>(array.size() * width));
    else
      for (int64_t i = 0; i < array.size(); ++i)
        std::memcpy(to + space::ravel(*layout, space::unravel(array.shape(), i), sizes) * width,
                    from + i * width, static_cast<size_t>(width));
  }

  static std::vector<int64_t> shape_of(mlir::Value value,
                                       const std::map<std::string, int64_t>& sizes) {
    std::vector<int64_t> shape;
    for (const Extent& extent : ir::shape_of(value))
      shape.push_back(extent.evaluate(sizes));
    return shape;
  }

  mutable std::mutex mutex_;
  mlir::MLIRContext context_;
  nest::Schedule schedule_;
  nest::IsolatedNest nest_;
  bool has_fma_;
};

/// Points of the signatures: what a run goes through.
double points_of(const nest::Nest& nest, const std::map<std::string, int64_t>& sizes) {
  double points = 0;
  auto add = [&](mlir::Operation* op) {
    double own = 1;
    for (const space::IndexDim& dim : llvm::cast<ir::SignedOp>(op).signature().dims)
      own *= static_cast<double>(dim.extent.evaluate(sizes));
    points += own;
  };
  add(nest.root);
  llvm::for_each(nest.fused, add);
  return points;
}

} // namespace

std::unique_ptr<UnfinishedNest> ScheduleBackend::translate(const nest::IsolatedNest& nest,
                                                           const nest::Schedule& schedule,
                                                           const std::string&, ShowStage) const {
  return std::make_unique<NestText>(nest::to_string(schedule) + kBetween.str() + nest.content);
}

std::shared_ptr<const LoadedNest> ScheduleBackend::load(const std::string& bytes,
                                                        const std::string&) const {
  auto [schedule, nest] = llvm::StringRef(bytes).split(kBetween);
  return std::make_shared<RunNest>(schedule, nest.str(), machine().has_fma);
}

std::optional<std::vector<std::string>>
ScheduleBackend::check(const nest::Nest& nest, const nest::Schedule& schedule,
                       const std::map<std::string, int64_t>& sizes, int threads) const {
  constexpr double kMostPoints = 50'000; // of a nest that is followed
  if (nest.packs)
    return std::nullopt; // what it makes is no value of the program
  try {
    if (points_of(nest, sizes) > kMostPoints)
      return std::nullopt;
    return run_schedule(schedule, nest, sizes, threads).faults;
  } catch (const Error&) { // its extents do not go together with these sizes
    return std::nullopt;
  }
}

} // namespace kolam::backend::schedule
