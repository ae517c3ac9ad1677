/// The tasks of a plan for engines that run them elsewhere (docs/design/engines.md).
#pragma once

#include "kolam/frontend/array/plan.h"

namespace kolam {

/// A block by its number, and where it lies in its tensor.
struct TaskBlock {
  int64_t number = 0;
  DType dtype = DType::f32;
  space::Box box;
};

/// A box that a task reads, and the blocks that hold it.
struct TaskRead {
  DType dtype = DType::f32;
  space::Box box;
  std::vector<TaskBlock> blocks;
};

/// A pure task: what it gives depends on its piece, its offsets and its blocks alone.
struct PlanTask {
  int64_t worker = 0;
  int64_t piece = -1;    ///< into `pieces_of`; -1: it loads a box of an argument
  int64_t argument = -1; ///< that it loads
  std::vector<TaskRead> reads;
  std::vector<TaskBlock> writes;
  std::vector<int64_t> offsets;
  double seconds = 0; ///< as predicted for this machine
  int64_t bytes = 0;  ///< of what it writes
  std::string what;   ///< `contract at model.py:12, piece [0:4, 0:8]`
};

/// How far an engine's run is: on the progress line, and told to whoever asked.
class TaskClock {
public:
  TaskClock(int64_t tasks, int64_t bytes, std::function<void(const plans::RunProgress&)> told);
  ~TaskClock();
  /// A task ended that takes `share` of the whole work, and made blocks of so many bytes.
  void ended(double share, int64_t bytes);
  void finish();
  double seconds() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A result and the blocks that hold it.
struct PlanResult {
  TaskRead whole;
  std::vector<int64_t> numbers; ///< among the program's results
  int64_t argument = -1;        ///< that it is
};

/// By position. Throws `[plan-broken]` as Plan::run.
std::vector<PlanTask> tasks_of(const Plan& plan);
std::vector<PlanResult> results_of(const Plan& plan);
/// The text of each piece.
std::vector<std::string> pieces_of(const Plan& plan);
/// Arrays that the function captured: arguments behind the declared ones.
const std::vector<Array>& captured_of(const Plan& plan);

/// An array and the box of its tensor that it is.
struct PlacedBlock {
  Array array;
  space::Box box;
};
/// The elements of `box`: a view where they lie in one block one after the other, else a copy.
Array assembled(DType dtype, const space::Box& box, const std::vector<PlacedBlock>& blocks);
struct PieceResults {
  std::vector<Array> results;
  bool is_found = false; ///< they were kept from an earlier run
};
/// What a task gives for the boxes that it reads. A piece is compiled once a process.
PieceResults run_piece(const std::string& text, std::vector<Array> reads,
                       const std::vector<int64_t>& offsets, const KeptResults* kept = nullptr);

} // namespace kolam
