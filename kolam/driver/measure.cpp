// Measures runs, and holds what they took against what the machine can do.
#include "kolam/driver/measure.h"

#include "kolam/driver/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/isolate.h"
#include "kolam/runtime/long_work.h"
#include "kolam/runtime/machine_speed.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/transform/lists/rename.h"

#include <chrono>
#include <cmath>

namespace kolam::driver {
namespace {

using runtime::StepRecord;

/// Runs go on for so long, and there are no more than so many.
constexpr double kSeconds = 0.5;
constexpr int kMostRuns = 10'000;

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// A row of a table: right-aligned, but for the last column.
std::string row(const std::vector<std::string>& cells, const std::string& last) {
  std::string text;
  for (const std::string& cell : cells)
    text += std::string(cell.size() < 9 ? 9 - cell.size() : 1, ' ') + cell;
  return text + "  " + last + "\n";
}

/// What the machine can do: each figure is measured when it is asked for, once.
class Limits {
public:
  explicit Limits(const Machine& machine) : machine_(machine) {}

  /// Operations a second on elements of `bytes` bytes; narrow factors of products go by
  /// instructions of their own.
  double flops(int bytes, bool are_dots) {
    if (flops_ == 0)
      flops_ = runtime::most_flops(machine_.vector_bytes, machine_.has_fma);
    return flops_ * (bytes > 4 || are_dots ? 4.0 / bytes : 1);
  }
  /// Bytes a second, of a step that reads and writes so many.
  double bytes(double count) {
    constexpr double kLeast = 1 << 14, kMost = 1 << 28;
    double size = std::exp2(std::round(std::log2(std::clamp(count, kLeast, kMost))));
    double& found = bytes_[size];
    if (found == 0)
      found = runtime::most_bytes(size, machine_.vector_bytes);
    return found;
  }
  /// All that was measured.
  std::string to_string() const {
    std::string text;
    if (flops_ > 0)
      text += number(flops_ / 1e9, 0) + " GFLOP/s of float32";
    for (const auto& [size, rate] : bytes_)
      text += (text.empty() ? "" : ", ") + number(rate / 1e9, 0) + " GB/s of " +
              (size < 1e6 ? number(size / 1024, 0) + " KiB" : number(size / 1048576, 0) + " MiB");
    return text;
  }

private:
  const Machine& machine_;
  double flops_ = 0;
  std::map<double, double> bytes_;
};

/// The cost of a nest for the sizes that it ran with: where they differ from time to time, for
/// their means.
StepCost cost_as_run(const nest::Nest& nest, const StepRecord& record, bool is_in_place,
                     const Machine& machine) {
  nest::IsolatedNest isolated = nest::isolate(nest);
  transform::lists::Names sizes;
  for (size_t i = 0; i < record.sizes.size(); ++i)
    sizes.emplace(nest.symbols[i],
                  Extent(std::llround(record.sizes[i] / static_cast<double>(record.times))));
  if (!sizes.empty())
    transform::lists::rename(isolated.module->getBodyRegion(), sizes);
  StepCost cost = cost_of(isolated.nest, machine);
  return is_in_place ? in_place(cost, isolated.nest) : cost;
}

/// Whether dots of narrow factors compute the nest's products.
bool has_dots(const nest::Nest& nest, const Machine& machine) {
  return llvm::any_of(nest.products, [&](const nest::Product& product) {
    DType dtype = ir::dtype_of(product.op->getOperand(product.columns_of));
    return nest::dot_group(dtype, ir::dtype_of(product.op->getResult(0)), machine) != 0;
  });
}

/// The widest element that the nest computes with; of dots that of a factor in its group.
int element_bytes(const nest::Nest& nest, const Machine& machine) {
  if (has_dots(nest, machine))
    return byte_width(nest::held_dtype(nest.products[0], machine));
  int bytes = 0;
  auto add = [&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults())
      bytes = std::max(bytes, static_cast<int>(byte_width(ir::dtype_of(result))));
  };
  add(nest.root);
  llvm::for_each(nest.fused, add);
  return bytes;
}

/// A step of a program that ran.
struct Line {
  const StepRecord* record;
  StepCost cost;
};

class Table {
public:
  Table(const nest::NestList& nests, OpNames& names, const Machine& machine)
      : nests_(nests), names_(names), machine_(machine), limits_(machine) {}

  std::string print(const std::vector<StepRecord>& records, const std::vector<StepCost>& costs,
                    double seconds) {
    std::vector<Line> lines;
    for (const StepCost& cost : costs)
      if (const StepRecord& record = records[static_cast<size_t>(cost.number)]; record.times > 0)
        lines.push_back({&record, as_run(cost, record)});
    llvm::sort(lines, [](const Line& a, const Line& b) {
      return std::pair(-a.record->seconds, a.cost.number) <
             std::pair(-b.record->seconds, b.cost.number);
    });
    double rest = seconds;
    std::string text;
    for (const Line& line : lines) {
      runtime::stop_if_cancelled();
      rest -= line.record->seconds;
      text += print(line, seconds);
    }
    std::vector<std::string> blank(5);
    auto total = [&](double part, const std::string& name) {
      std::vector<std::string> cells{number(part * 1e3, 3), share(part, seconds)};
      cells.insert(cells.end(), blank.begin(), blank.end());
      return row(cells, name);
    };
    return row({"ms", "of run", "times", "MB", "GB/s", "GFLOP/s", "of limit"}, "step") + text +
           total(std::max(0.0, rest), "between steps: memory, loops, waking threads") +
           total(seconds, "in all");
  }

  std::string limits() const { return limits_.to_string(); }

private:
  static std::string share(double part, double whole) {
    return whole > 0 ? number(100 * part / whole, 1) + "%" : "-";
  }

  StepCost as_run(const StepCost& cost, const StepRecord& record) {
    StepCost result = cost;
    if (cost.nest >= 0) {
      StepCost counted = cost_as_run(nests_.nests[cost.nest], record, cost.is_in_place, machine_);
      result.flops = counted.flops;
      result.bytes = counted.bytes;
    } else {
      result.flops = 0; // of a sort, which no figure of the machine bounds
      result.bytes = record.bytes / static_cast<double>(record.times);
    }
    return result;
  }

  std::string print(const Line& line, double run_seconds) {
    const StepRecord& record = *line.record;
    auto times = static_cast<double>(record.times);
    double seconds = std::max(record.seconds, 1e-9);
    double bytes = line.cost.bytes * times, flops = line.cost.flops * times;
    return row({number(record.seconds * 1e3, 3), share(record.seconds, run_seconds),
                number(times, 0), number(bytes / 1e6, 3), number(bytes / seconds / 1e9, 2),
                number(flops / seconds / 1e9, 2), of_limit(line, seconds)},
               name(line.cost));
  }

  std::string name(const StepCost& cost) {
    return cost.name + (cost.root ? " = " + names_.of(cost.root) : "");
  }

  /// The time that the machine needs at least, for the bytes or for the operations, beside the
  /// time that it took.
  std::string of_limit(const Line& line, double seconds) {
    if (line.cost.nest < 0 && line.cost.bytes == 0)
      return "-";
    auto times = static_cast<double>(line.record->times);
    double moving = times * line.cost.bytes / limits_.bytes(line.cost.bytes), computing = 0;
    if (line.cost.nest >= 0 && line.cost.flops > 0) {
      const nest::Nest& nest = nests_.nests[line.cost.nest];
      bool are_dots = has_dots(nest, machine_);
      computing = times * line.cost.flops / limits_.flops(element_bytes(nest, machine_), are_dots);
    }
    return number(100 * std::max(moving, computing) / seconds, 0) +
           (moving >= computing ? "% mem" : "% ops");
  }

  const nest::NestList& nests_;
  OpNames& names_;
  const Machine& machine_;
  Limits limits_;
};

} // namespace

MeasuredRuns measure(const Executable& executable, std::span<const Array> arguments,
                     const volatile int32_t* cancel) {
  Prepared prepared;
  MeasuredRuns result;
  result.threads = runtime::thread_count();
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  do {
    Measured run = executable.measure(arguments, cancel, &prepared);
    if (result.runs == 0) {
      result.preparation_seconds = run.preparation_seconds;
      result.preparation = run.preparation;
    }
    if (result.runs == 0 || run.seconds < result.quickest.seconds)
      result.quickest = std::move(run);
    ++result.runs;
  } while (result.runs < kMostRuns &&
           std::chrono::duration<double>(Clock::now() - start).count() < kSeconds);
  return result;
}

std::string to_string(const MeasuredRuns& measurement, const nest::NestList& nests, OpNames& names,
                      const Machine& machine) {
  Table table(nests, names, machine);
  Cost cost = cost_of(nests, machine);
  std::string text =
      "measured on " + std::to_string(measurement.threads) +
      (measurement.threads == 1 ? " thread" : " threads") + ", the quickest of " +
      std::to_string(measurement.runs) + (measurement.runs == 1 ? " run:\n" : " runs:\n") +
      table.print(measurement.quickest.steps, cost.steps, measurement.quickest.seconds);
  if (!measurement.preparation.empty())
    text += "computed once, before the first run:\n" +
            table.print(measurement.preparation, cost.preparation, measurement.preparation_seconds);
  if (std::string limits = table.limits(); !limits.empty())
    text += "limits, measured now on these threads: " + limits + "\n";
  return text;
}

} // namespace kolam::driver
