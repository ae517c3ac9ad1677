/// Runs plans in this process.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/driver/kept_results.h"
#include "kolam/plan/blocks.h"
#include "kolam/plan/plan.h"
#include "kolam/plan/run_report.h"
#include "kolam/runtime/npy_boxes.h"

#include <functional>
#include <map>
#include <span>

namespace kolam::driver {

/// An argument of a plan: an array, or one in a file, of which tasks read boxes.
struct PlanArgument {
  Array array;
  std::shared_ptr<const runtime::NpyReader> file;

  DType dtype() const { return file ? file->dtype() : array.dtype(); }
  const std::vector<int64_t>& shape() const { return file ? file->shape() : array.shape(); }
};

struct PlanRun {
  std::shared_ptr<const backend::Backend> backend = backend::default_backend();
  bool is_interpreted = false;
  const volatile int32_t* cancel = nullptr;
  /// Files, by number of the result, to which its boxes are written as they are made.
  std::map<int64_t, std::string> out = {};
  /// Called at most every 0.1 s, and at the end; by one thread at a time.
  std::function<void(const plans::RunProgress&)> progress = {};
  /// Results of earlier runs, and where those of this one go.
  std::shared_ptr<KeptResults> kept = {};
};

/// The compiled pieces of a plan, made when first they run; may be used by several threads.
class Pieces {
public:
  Pieces(const plans::Plan& plan, PlanRun options);
  ~Pieces();
  /// What a task of that piece gives for the boxes that it reads, and whether it was kept from an
  /// earlier run. Throws the Error of a check that fails, and what compiling throws.
  struct Given {
    std::vector<Array> results;
    bool is_found = false;
  };
  /// Result i may be written to the memory of `outputs[i]`; it then is that array.
  Given run(int64_t piece, std::vector<Array> reads, const space::Point& offsets,
            std::span<const Array> outputs = {});

private:
  std::vector<Array> computed(int64_t piece, std::vector<Array> reads, const space::Point& offsets,
                              std::span<const Array> outputs);

  struct Made;
  const plans::Plan& plan_;
  PlanRun options_;
  std::vector<std::unique_ptr<Made>> made_;
};

/// The boxes of arrays that lie in blocks.
struct PlacedArray {
  Array array;
  space::Box box;
};
/// The elements of `box`, from blocks that hold all of them: a view where they lie in one, one
/// after the other, else a copy.
Array assembled(DType dtype, const space::Box& box, std::span<const PlacedArray> blocks);
/// A view of `box` of an array that has the elements of `whole`; the empty handle where they do not
/// lie one after the other.
Array dense_box(const Array& array, const space::Box& whole, const space::Box& box);
/// Copies what a block has of `box`, whose elements are those of `whole`.
void copy_into(Array& whole, const space::Box& box, const PlacedArray& block);

/// The results of the plan's program, by tasks on threads of this process. Each worker does its
/// tasks, loads and transfers one after the other in their order, as soon as what they read is
/// there, and, where the plan has a limit of memory, as soon as what they make fits below it beside
/// what the worker holds (plan/blocks.h). So a run holds no more than the plan says. Nests inside
/// tasks run on their task's thread. Results that go to files are empty handles; the files appear
/// when all of them are whole. The plan has been checked. Throws `[argument-mismatch]`; the error
/// of the task with the lowest position that fails, with the stage and its box; `[cancelled]`;
/// `[io-write]`.
struct PlanOutcome {
  std::vector<Array> results;
  plans::RunReport report;
};
PlanOutcome run_plan(const plans::Plan& plan, std::span<const PlanArgument> arguments,
                     const PlanRun& options);

} // namespace kolam::driver
