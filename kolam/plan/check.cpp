// Checks plans: every break becomes an issue.
#include "kolam/plan/check.h"

#include <map>

#include "kolam/plan/blocks.h"
#include "kolam/plan/structure.h"
#include "kolam/space/box_index.h"
#include "kolam/space/landed.h"
#include "kolam/space/partition.h"
#include "kolam/space/region.h"
#include "kolam/support/error.h"

namespace kolam::plans {
namespace {

using space::Issue;
using space::Role;

constexpr size_t kMostIssues = 100;

/// A range of a partial tensor's terms.
struct Terms {
  int64_t first, end;
  friend auto operator<=>(const Terms&, const Terms&) = default;
};
Terms terms_of(const Box& box) { return {box.start()[0], box.end()[0]}; }

/// The box without its first dim.
Box without_terms(const Box& box) {
  return {Point(box.start().begin() + 1, box.start().end()),
          Point(box.end().begin() + 1, box.end().end())};
}

/// Sums of the same terms: the boxes of elements for which they are made, and merged.
struct Sums {
  std::vector<Box> made, merged;
};

/// The number of elements of boxes in all; -1 where 64 bits do not hold it.
int64_t total_size(const std::vector<Box>& boxes) {
  int64_t total = 0;
  for (const Box& box : boxes)
    if (__builtin_add_overflow(total, size(box), &total))
      return -1;
  return total;
}

std::string subject_of(const Tensor& tensor) { return "tensor '" + tensor.name + "'"; }
std::string subject_of(const Stage& stage) { return "stage '" + stage.name + "'"; }

class Checker {
public:
  explicit Checker(const Plan& plan) : plan_(plan) {}

  std::vector<Issue> run() {
    issues_ = check_structure(plan_);
    if (issues_.empty())
      expand_events();
    if (issues_.empty()) {
      check_positions();
      for (size_t i = 0; i < plan_.stages.size(); ++i)
        guarded(subject_of(plan_.stages[i]), [&] { check_stage(i); });
      for (size_t i = 0; i < plan_.tensors.size(); ++i)
        guarded(subject_of(plan_.tensors[i]), [&] { check_coverage(i); });
      check_merges();
      table_ = find_blocks(plan_, events_);
      check_reads();
      check_transfers();
      guarded("the plan", [&] { check_memory(); });
    }
    if (issues_.size() > kMostIssues)
      issues_.resize(kMostIssues);
    return std::move(issues_);
  }

private:
  void error_at(const std::string& subject, const char* slug, std::string message) {
    if (issues_.size() < kMostIssues)
      issues_.push_back({slug, subject, std::move(message)});
  }
  /// Runs a check whose numbers may leave 64 bits; the Error becomes an issue.
  template <class F> void guarded(const std::string& subject, F&& check) {
    try {
      check();
    } catch (const Error& error) {
      error_at(subject, "plan-structure", error.message());
    }
  }

  void expand_events() {
    events_ = expand(plan_);
    tasks_.resize(plan_.stages.size());
    for (size_t i = 0; i < events_.size(); ++i)
      if (!events_[i].is_move)
        tasks_[stage_of(events_[i])].push_back(i);
    for (const Stage& stage : plan_.stages)
      tensors_.push_back(tensors_of(stage));
  }
  int64_t stage_of(const Event& task) const {
    return plan_.pieces[plan_.tasks[task.family].piece].stage;
  }

  void check_positions() {
    for (size_t i = 1; i < events_.size(); ++i)
      if (events_[i - 1].position == events_[i].position) {
        const std::string subject = name_of(plan_, events_[i]);
        error_at(subject, "plan-order",
                 "expected a position of its own, but there is " + name_of(plan_, events_[i - 1]));
      }
  }

  /// A partition of index boxes, and the regions of each task.
  void check_stage(size_t number) {
    const Stage& stage = plan_.stages[number];
    if (stage.work == Work::merge || (stage.work == Work::load && stage.signature.operands.empty()))
      return;
    if (stage.work == Work::compute)
      check_partition(stage, tasks_[number]);
    for (size_t task : tasks_[number])
      check_regions(stage, events_[task]);
  }

  void check_partition(const Stage& stage, const std::vector<size_t>& tasks) {
    const Box whole = space::index_box(stage.signature);
    const std::string subject = subject_of(stage);
    std::vector<Box> boxes;
    for (size_t task : tasks)
      boxes.push_back(events_[task].index);
    if (boxes.empty())
      error_at(subject, "plan-partition", "expected tasks, but it has none");
    for (const Issue& issue : space::validate_partition(whole, boxes))
      error_at(subject, "plan-partition", issue.subject + ": " + issue.message);
    for (const Box& box : boxes)
      for (int d = 0; d < whole.rank() && !is_empty(box); ++d)
        if (stage.signature.dims[d].kind != space::DimKind::map && box.extent(d) != whole.extent(d))
          error_at(subject, "plan-partition",
                   "expected dim '" + stage.signature.dims[d].name + "' whole, but got " +
                       to_string(box));
  }

  void check_regions(const Stage& stage, const Event& task) {
    size_t read = 0, write = 0;
    for (const space::Operand& operand : stage.signature.operands) {
      if (operand.role == Role::scratch)
        continue;
      const Box tensor = tensor_box(operand);
      const Box touched =
          landed(operand.policy, space::region(operand.projection, task.index), tensor);
      Point back = tensor.start(); // boxes of a plan's tensors start at 0
      for (int64_t& start : back)
        start = -start;
      const Box needed = is_empty(touched) ? touched : translate(touched, back);
      const bool is_read = operand.role == Role::in;
      const Box& actual = is_read ? task.reads[read++] : task.writes[write++];
      if (is_empty(needed) ? is_read || is_empty(actual)
          : is_read        ? contains(actual, needed)
                           : actual == needed)
        continue;
      const std::string subject = name_of(plan_, task);
      error_at(subject, "plan-region",
               "expected index box " + to_string(task.index) +
                   (is_read ? " to read " : " to write ") + to_string(needed) + " of '" +
                   operand.name + "', but got " + to_string(actual));
    }
  }

  /// Boxes of a tensor that all tasks write, apart from merges of its own terms.
  std::vector<Box> written_boxes(int64_t tensor) const {
    std::vector<Box> boxes;
    for (size_t stage = 0; stage < tasks_.size(); ++stage)
      for (size_t place = 0; place < tensors_[stage].writes.size(); ++place)
        if (tensors_[stage].writes[place] == tensor &&
            !(tensors_[stage].merges && tensors_[stage].reads[0] == tensor))
          for (size_t task : tasks_[stage])
            boxes.push_back(events_[task].writes[place]);
    return boxes;
  }

  void check_coverage(size_t number) {
    const Tensor& tensor = plan_.tensors[number];
    const Box whole = Box::of_shape(tensor.shape);
    const std::vector<Box> boxes = written_boxes(static_cast<int64_t>(number));
    const std::string subject = subject_of(tensor);
    if (tensor.argument >= 0) {
      if (!tensor.results.empty() && !space::covers(boxes, whole))
        error_at(subject, "plan-coverage", "expected loads of all of it, as it is a result");
      return;
    }
    for (const Issue& issue : space::validate_partition(whole, boxes))
      error_at(subject, "plan-coverage", "writes: " + issue.subject + ": " + issue.message);
  }

  /// Each merge by itself; then, of each partial tensor, that the boxes in which sums of certain
  /// terms are merged partition those in which they are made. With complete leaves
  /// (check_coverage) all merges of an element then form one tree over its terms.
  void check_merges() {
    std::map<int64_t, std::map<Terms, Sums>> sums; // by partial tensor
    for (size_t stage = 0; stage < tasks_.size(); ++stage)
      for (size_t number : tasks_[stage]) {
        const Event& task = events_[number];
        if (tensors_[stage].merges) {
          check_merge(plan_.stages[stage], task);
          for (const Box& box : task.reads)
            sums[tensors_[stage].reads[0]][terms_of(box)].merged.push_back(without_terms(box));
        }
        for (size_t i = 0; i < task.writes.size(); ++i)
          if (const int64_t tensor = tensors_[stage].writes[i]; is_partial(tensor))
            sums[tensor][terms_of(task.writes[i])].made.push_back(without_terms(task.writes[i]));
      }
    for (const auto& [tensor, by_terms] : sums)
      for (const auto& [terms, boxes] : by_terms) {
        if (terms.first == terms.end)
          continue;
        const std::string subject = subject_of(plan_.tensors[tensor]);
        const std::string what = "expected the sums of terms " + std::to_string(terms.first) + ":" +
                                 std::to_string(terms.end);
        for (const space::Overlap& pair : space::overlaps(boxes.merged, kMostIssues))
          error_at(subject, "plan-merge",
                   what + " to be merged once, but " + to_string(boxes.merged[pair.first]) +
                       " and " + to_string(boxes.merged[pair.second]) + " overlap");
        if (total_size(boxes.made) != total_size(boxes.merged))
          error_at(subject, "plan-merge",
                   what + " to be merged, " + std::to_string(total_size(boxes.made)) +
                       " elements, but got " + std::to_string(total_size(boxes.merged)));
      }
  }
  bool is_partial(int64_t tensor) const { return plan_.tensors[tensor].partial_of >= 0; }

  /// Reads are neighbours in terms and equal elsewhere, their union is written.
  void check_merge(const Stage& stage, const Event& task) {
    const std::string subject = name_of(plan_, task);
    const Box& first = task.reads.front();
    Terms all = terms_of(first);
    for (size_t i = 0; i < task.reads.size(); ++i) {
      const Terms terms = terms_of(task.reads[i]);
      if ((i > 0 && terms.first != all.end) || terms.first == terms.end ||
          without_terms(task.reads[i]) != without_terms(first))
        error_at(subject, "plan-merge",
                 "expected neighbouring terms of the same elements, but got " +
                     to_string(task.reads[i]) + " after terms up to " + std::to_string(all.end));
      all.end = terms.end;
    }
    const bool is_last = stage.tensors[0] != stage.tensors[1];
    const int64_t count = plan_.tensors[stage.tensors[0]].shape[0];
    if (is_last && all != Terms{0, count})
      error_at(subject, "plan-merge",
               "expected all " + std::to_string(count) + " terms, but got " +
                   std::to_string(all.first) + ":" + std::to_string(all.end));
    if (!is_last && task.reads.size() < 2)
      error_at(subject, "plan-merge", "expected at least two boxes to merge");
    const Box& written = task.writes.front();
    const Box place = is_last ? written : without_terms(written);
    if (place != without_terms(first) || (!is_last && terms_of(written) != all))
      error_at(subject, "plan-merge",
               "expected the union of its reads to be written, but got " + to_string(written));
  }

  void check_reads() {
    for (const MissingRead& missing : table_.missing) {
      const Event& event = events_[missing.event];
      const std::string subject = name_of(plan_, event);
      const int64_t tensor = event.is_move ? plan_.moves[event.family].tensor
                                           : tensors_[stage_of(event)].read(missing.read);
      const std::string what = to_string(event.reads[missing.read]) + " of '" +
                               plan_.tensors[tensor].name + "' at worker " +
                               std::to_string(event.is_move ? event.from : event.worker);
      if (missing.comes_later)
        error_at(subject, "plan-order", "expected " + what + " before, but it comes later");
      else
        error_at(subject, "plan-transfer",
                 "expected " + what + ", but it was neither made nor moved there");
    }
  }

  void check_transfers() {
    for (const Event& event : events_)
      if (event.is_move && event.from == event.worker) {
        const std::string subject = name_of(plan_, event);
        error_at(subject, "plan-transfer",
                 "expected two workers, but got " + std::to_string(event.from) + " twice");
      }
    for (const Block& block : table_.blocks)
      if (events_[block.made_by].is_move && block.last_use < 0) {
        const std::string subject = name_of(plan_, events_[block.made_by]);
        error_at(subject, "plan-transfer",
                 "expected a reader of " + to_string(block.box) + " at worker " +
                     std::to_string(block.worker) + ", but there is none");
      }
  }

  void check_memory() {
    if (plan_.memory_per_worker == 0)
      return;
    const std::vector<Peak> peaks = peaks_in_order(plan_, events_, table_);
    for (size_t worker = 0; worker < peaks.size(); ++worker)
      if (peaks[worker].bytes > plan_.memory_per_worker) {
        const std::string subject = "worker " + std::to_string(worker);
        error_at(subject, "plan-memory",
                 "expected at most " + std::to_string(plan_.memory_per_worker) + " bytes, but " +
                     name_of(plan_, events_[peaks[worker].event]) + " needs " +
                     std::to_string(peaks[worker].bytes));
      }
  }

  const Plan& plan_;
  std::vector<Issue> issues_;
  std::vector<Event> events_;              ///< by position
  std::vector<std::vector<size_t>> tasks_; ///< the numbers of each stage's events
  std::vector<StageTensors> tensors_;      ///< by stage
  BlockTable table_;
};

} // namespace

std::vector<Issue> check(const Plan& plan) { return Checker(plan).run(); }

} // namespace kolam::plans
