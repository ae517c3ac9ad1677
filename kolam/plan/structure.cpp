// Checks the structure of plans.
#include "kolam/plan/structure.h"

#include <cmath>
#include <optional>
#include <set>

#include "kolam/plan/expand.h"

namespace kolam::plans {
namespace {

using space::Role;

constexpr int64_t kMostWorkers = int64_t{1} << 20;

std::string element(const char* list, size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "]";
}
bool is_number_of(int64_t number, size_t count) {
  return number >= 0 && static_cast<uint64_t>(number) < count;
}
bool is_finite(double value) { return std::isfinite(value) && value >= 0; }

std::optional<Point> numbers(const Shape& shape) {
  Point result;
  for (const Extent& extent : shape) {
    if (!extent.is_constant())
      return std::nullopt;
    result.push_back(*extent.constant());
  }
  return result;
}

/// The bytes of a tensor, as if no extent were 0; nullopt where 64 bits do not hold them.
std::optional<int64_t> most_bytes(const Tensor& tensor) {
  int64_t bytes = byte_width(tensor.dtype);
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes))
      return std::nullopt;
  return bytes;
}

struct Range {
  int64_t least, greatest;
};
/// The values of first + steps . p for p in [0, counts); nullopt where a sum on the way leaves 64
/// bits. Needs counts > 0 and equal ranks.
std::optional<Range> range_of(const Affine& number, const Point& counts) {
  Range range{number.first, number.first};
  int64_t below = std::min<int64_t>(number.first, 0), above = std::max<int64_t>(number.first, 0);
  for (size_t d = 0; d < counts.size(); ++d) {
    int64_t reach;
    if (__builtin_mul_overflow(number.steps[d], counts[d] - 1, &reach))
      return std::nullopt;
    int64_t& end = reach < 0 ? range.least : range.greatest;
    int64_t& bound = reach < 0 ? below : above;
    // A partial sum lies between the sum of all that is below 0 and of all that is above.
    if (__builtin_add_overflow(bound, reach, &bound))
      return std::nullopt;
    end += reach;
  }
  return range;
}

class Checker {
public:
  explicit Checker(const Plan& plan) : plan_(plan), are_sound_(plan.stages.size(), false) {}

  std::vector<space::Issue> run() {
    check_whole();
    for (size_t i = 0; i < plan_.tensors.size(); ++i)
      check_tensor(plan_.tensors[i], element("tensors", i));
    for (size_t i = 0; i < plan_.stages.size(); ++i) {
      const size_t before = issues_.size();
      check_stage(plan_.stages[i], element("stages", i));
      are_sound_[i] = issues_.size() == before;
    }
    for (size_t i = 0; i < plan_.pieces.size(); ++i)
      check_piece(plan_.pieces[i], element("pieces", i));
    for (size_t i = 0; i < plan_.tasks.size(); ++i)
      check_family(plan_.tasks[i], element("tasks", i));
    for (size_t i = 0; i < plan_.moves.size(); ++i)
      check_moves(plan_.moves[i], element("moves", i));
    return std::move(issues_);
  }

private:
  bool expect(bool holds, const std::string& subject, const std::string& message) {
    if (!holds)
      issues_.push_back({"plan-structure", subject, message});
    return holds;
  }
  bool expect_number(int64_t number, size_t count, const std::string& subject, const char* what) {
    return expect(is_number_of(number, count), subject,
                  "expected the number of one of " + std::to_string(count) + " " + what +
                      ", but got " + std::to_string(number));
  }
  bool expect_count(size_t actual, size_t expected, const std::string& subject, const char* what) {
    return expect(actual == expected, subject,
                  "expected " + std::to_string(expected) + " " + what + ", but got " +
                      std::to_string(actual));
  }

  void check_whole() {
    expect(plan_.workers >= 1 && plan_.workers <= kMostWorkers, "workers",
           "expected 1 to " + std::to_string(kMostWorkers) + " workers, but got " +
               std::to_string(plan_.workers));
    expect(plan_.memory_per_worker >= 0, "memory_per_worker",
           "expected a number of bytes, but got " + std::to_string(plan_.memory_per_worker));
    for (const auto& [name, value] : plan_.cost)
      expect(is_finite(value), "cost." + name,
             "expected a finite number that is not negative, but got " + std::to_string(value));
    const std::string reason = too_large(plan_);
    expect(reason.empty(), "the plan", reason);
    std::set<std::string> names;
    std::set<int64_t> arguments, results;
    for (const Tensor& tensor : plan_.tensors) {
      expect(names.insert(tensor.name).second, "tensor '" + tensor.name + "'",
             "expected distinct names");
      expect(tensor.argument < 0 || arguments.insert(tensor.argument).second,
             "tensor '" + tensor.name + "'",
             "expected one tensor for argument " + std::to_string(tensor.argument));
      for (int64_t result : tensor.results)
        expect(result >= 0 && results.insert(result).second, "tensor '" + tensor.name + "'",
               "expected one tensor for result " + std::to_string(result));
    }
    expect(results.empty() || *results.rbegin() == static_cast<int64_t>(results.size()) - 1,
           "the results", "expected a tensor for each result");
  }

  void check_tensor(const Tensor& tensor, const std::string& subject) {
    for (int64_t extent : tensor.shape)
      expect(extent >= 0, subject,
             "expected extents >= 0, but got " + space::to_string(tensor.shape));
    expect(most_bytes(tensor).has_value(), subject,
           "expected a number of bytes of 64 bits, but got " + space::to_string(tensor.shape));
    expect(tensor.argument >= -1, subject,
           "expected the number of an argument or -1, but got " + std::to_string(tensor.argument));
    if (tensor.partial_of == -1 ||
        !expect_number(tensor.partial_of, plan_.tensors.size(), subject, "tensors"))
      return;
    const Tensor& whole = plan_.tensors[tensor.partial_of];
    expect(tensor.argument < 0 && tensor.results.empty(), subject,
           "expected terms that are neither an argument nor a result");
    expect(whole.partial_of == -1 && whole.argument < 0, subject,
           "expected terms of a tensor that is computed");
    expect(!tensor.shape.empty() && tensor.shape[0] > 0 &&
               Point(tensor.shape.begin() + 1, tensor.shape.end()) == whole.shape,
           subject,
           "expected a dim of terms before " + space::to_string(whole.shape) + ", but got " +
               space::to_string(tensor.shape));
  }

  void check_stage(const Stage& stage, const std::string& subject) {
    for (int64_t tensor : stage.tensors)
      if (tensor != -1 && !expect_number(tensor, plan_.tensors.size(), subject, "tensors"))
        return;
    const size_t count = stage.work == Work::merge  ? 2
                         : stage.work == Work::load ? 1
                                                    : stage.signature.operands.size();
    if (!expect_count(stage.tensors.size(), count, subject, "tensors"))
      return;
    for (int64_t tensor : stage.tensors)
      if (stage.work != Work::compute &&
          !expect_number(tensor, plan_.tensors.size(), subject, "tensors"))
        return;
    if (stage.work == Work::load)
      check_load(stage, subject);
    if (stage.work == Work::merge)
      check_merge(stage, subject);
    else
      check_signature(stage, subject);
  }

  void check_load(const Stage& stage, const std::string& subject) {
    const int64_t tensor = stage.tensors[0];
    expect(plan_.tensors[tensor].argument >= 0, subject, "expected an argument to load");
    expect(stage.signature.operands.size() <= 1, subject, "expected at most one operand of a load");
    for (const space::Operand& operand : stage.signature.operands)
      expect(operand.role == Role::out, subject, "expected an operand that is out");
  }

  void check_merge(const Stage& stage, const std::string& subject) {
    const int64_t terms = stage.tensors[0], outcome = stage.tensors[1];
    expect(stage.signature.dims.empty() && stage.signature.operands.empty(), subject,
           "expected a merge without a signature");
    if (expect(plan_.tensors[terms].partial_of != -1, subject, "expected terms to merge"))
      expect(outcome == terms || outcome == plan_.tensors[terms].partial_of, subject,
             "expected the terms to become their tensor, but got '" + plan_.tensors[outcome].name +
                 "'");
  }

  void check_signature(const Stage& stage, const std::string& subject) {
    for (const space::Issue& issue : space::validate(stage.signature))
      expect(false, subject + ".signature", issue.subject + ": " + issue.message);
    expect(numbers(space::index_shape(stage.signature)).has_value(), subject + ".signature",
           "expected extents that are numbers");
    for (size_t k = 0; k < stage.signature.operands.size(); ++k)
      check_operand(stage, k, subject + ".signature." + element("operands", k));
  }

  void check_operand(const Stage& stage, size_t k, const std::string& subject) {
    const space::Operand& operand = stage.signature.operands[k];
    if (operand.role == Role::scratch ||
        !expect(operand.role != Role::inout, subject, "expected an operand that is in or out") ||
        !expect_number(stage.tensors[k], plan_.tensors.size(), subject, "tensors"))
      return;
    const Tensor& tensor = plan_.tensors[stage.tensors[k]];
    expect(numbers(operand.shape) == tensor.shape, subject,
           "expected the shape of '" + tensor.name + "', " + space::to_string(tensor.shape) +
               ", but got " + kolam::to_string(operand.shape));
    bool are_numbers = numbers(operand.projection.size) && numbers(operand.origin);
    for (const space::AffineRow& row : operand.projection.map.rows)
      are_numbers &= row.offset.is_constant();
    expect(are_numbers, subject, "expected a projection of numbers");
    expect(operand.role != Role::in || tensor.partial_of == -1, subject,
           "expected merged terms of '" + tensor.name + "' to read");
    expect(operand.role != Role::out || stage.work == Work::load || tensor.argument < 0, subject,
           "expected no argument to be written, but got '" + tensor.name + "'");
  }

  void check_piece(const Piece& piece, const std::string& subject) {
    expect_number(piece.stage, plan_.stages.size(), subject, "stages");
    expect(is_finite(piece.flops) && is_finite(piece.bytes), subject,
           "expected finite flops and bytes that are not negative");
  }

  bool check_counts(const Point& counts, const std::string& subject) {
    bool are_positive = true;
    for (int64_t count : counts)
      are_positive &= count > 0;
    return expect(are_positive, subject,
                  "expected counts above 0, but got " + space::to_string(counts));
  }

  std::optional<Range> check_number(const Affine& number, const Point& counts,
                                    const std::string& subject) {
    if (!expect_count(number.steps.size(), counts.size(), subject,
                      "steps, one for each dim of counts"))
      return std::nullopt;
    std::optional<Range> range = range_of(number, counts);
    expect(range.has_value(), subject, "expected numbers of 64 bits");
    return range;
  }

  void check_worker(const Affine& worker, const Point& counts, const std::string& subject) {
    const std::optional<Range> range = check_number(worker, counts, subject);
    if (range)
      expect(range->least >= 0 && range->greatest < plan_.workers, subject,
             "expected workers below " + std::to_string(plan_.workers) + ", but got " +
                 std::to_string(range->least) + " to " + std::to_string(range->greatest));
  }

  /// Boxes inside [0, shape).
  void check_boxes(const Boxes& boxes, const Point& shape, const Point& counts,
                   const std::string& subject) {
    if (!expect_count(boxes.start.size(), shape.size(), subject, "starts, one for each dim") ||
        !expect_count(boxes.extent.size(), shape.size(), subject, "extents, one for each dim"))
      return;
    for (size_t d = 0; d < shape.size(); ++d) {
      const std::optional<Range> range = check_number(boxes.start[d], counts, subject);
      if (!range)
        continue;
      expect(boxes.extent[d] >= 0 && boxes.extent[d] <= shape[d] && range->least >= 0 &&
                 range->greatest <= shape[d] - boxes.extent[d],
             subject,
             "expected boxes inside " + space::to_string(shape) + ", but got " +
                 std::to_string(boxes.extent[d]) + " elements from " +
                 std::to_string(range->least) + " to " + std::to_string(range->greatest) +
                 " in dim " + std::to_string(d));
    }
  }

  void check_family(const Family& family, const std::string& subject) {
    if (!expect_number(family.piece, plan_.pieces.size(), subject, "pieces") ||
        !check_counts(family.counts, subject))
      return;
    check_number(family.position, family.counts, subject + ".position");
    check_worker(family.worker, family.counts, subject + ".worker");
    for (size_t i = 0; i < family.offsets.size(); ++i)
      check_number(family.offsets[i], family.counts, subject + "." + element("offsets", i));
    const int64_t number = plan_.pieces[family.piece].stage;
    if (!is_number_of(number, plan_.stages.size()) || !are_sound_[number])
      return; // told already
    const Stage& stage = plan_.stages[number];
    check_boxes(family.index, *numbers(space::index_shape(stage.signature)), family.counts,
                subject + ".index");
    const StageTensors tensors = tensors_of(stage);
    const bool counts_agree =
        stage.work == Work::merge
            ? expect(!family.reads.empty(), subject, "expected a merge to read")
            : expect_count(family.reads.size(), tensors.reads.size(), subject, "reads");
    if (!counts_agree ||
        !expect_count(family.writes.size(), tensors.writes.size(), subject, "writes"))
      return;
    for (size_t i = 0; i < family.reads.size(); ++i)
      check_boxes(family.reads[i], plan_.tensors[tensors.read(i)].shape, family.counts,
                  subject + "." + element("reads", i));
    for (size_t i = 0; i < family.writes.size(); ++i)
      check_boxes(family.writes[i], plan_.tensors[tensors.writes[i]].shape, family.counts,
                  subject + "." + element("writes", i));
  }

  void check_moves(const Moves& moves, const std::string& subject) {
    if (!expect_number(moves.tensor, plan_.tensors.size(), subject, "tensors") ||
        !check_counts(moves.counts, subject))
      return;
    check_number(moves.position, moves.counts, subject + ".position");
    check_worker(moves.from, moves.counts, subject + ".from");
    check_worker(moves.to, moves.counts, subject + ".to");
    check_boxes(moves.box, plan_.tensors[moves.tensor].shape, moves.counts, subject + ".box");
  }

  const Plan& plan_;
  std::vector<bool> are_sound_; ///< of each stage
  std::vector<space::Issue> issues_;
};

} // namespace

StageTensors tensors_of(const Stage& stage) {
  StageTensors result;
  if (stage.work == Work::load)
    result.writes = stage.tensors;
  if (stage.work == Work::merge)
    return {{stage.tensors[0]}, {stage.tensors[1]}, true};
  for (size_t k = 0; stage.work == Work::compute && k < stage.tensors.size(); ++k) {
    if (stage.signature.operands[k].role == Role::in)
      result.reads.push_back(stage.tensors[k]);
    if (stage.signature.operands[k].role == Role::out)
      result.writes.push_back(stage.tensors[k]);
  }
  return result;
}

std::vector<space::Issue> check_structure(const Plan& plan) { return Checker(plan).run(); }

} // namespace kolam::plans
