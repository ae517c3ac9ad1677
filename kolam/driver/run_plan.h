/// Runs plans in this process.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/plan/plan.h"
#include "kolam/runtime/npy_boxes.h"

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
};

/// The compiled pieces of a plan, made when first they run; may be used by several threads.
class Pieces {
public:
  Pieces(const plans::Plan& plan, PlanRun options);
  ~Pieces();
  /// What a task of that piece gives for the boxes that it reads. Throws the Error of a check that
  /// fails, and what compiling throws.
  std::vector<Array> run(int64_t piece, std::vector<Array> reads, const space::Point& offsets);

private:
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

/// The results of the plan's program, by tasks on threads of this process: each worker's tasks one
/// after the other in their order, as soon as what they read is there. Blocks are freed after their
/// last reader. Nests inside tasks run on their task's thread. Results that go to files are empty
/// handles; the files appear when all of them are whole. The plan has been checked. Throws
/// `[argument-mismatch]`; the error of the task with the lowest position that fails, with the stage
/// and its box; `[cancelled]`; `[io-write]`.
std::vector<Array> run_plan(const plans::Plan& plan, std::span<const PlanArgument> arguments,
                            const PlanRun& options);

} // namespace kolam::driver
