// Makes single tasks of families, and families of single tasks.
#include "kolam/plan/expand.h"

#include <algorithm>

#include "kolam/support/error.h"

namespace kolam::plans {
namespace {

constexpr int64_t kMostEvents = int64_t{1} << 24;
constexpr int64_t kMostRanges = int64_t{1} << 28;

/// a * b, at most 2^62; for numbers that are not negative.
int64_t bounded_product(int64_t a, int64_t b) {
  int64_t result;
  constexpr int64_t most = int64_t{1} << 62;
  return __builtin_mul_overflow(a, b, &result) ? most : std::min(result, most);
}

int64_t point_count(const Point& counts) {
  int64_t points = 1;
  for (int64_t count : counts)
    points = bounded_product(points, count);
  return points;
}

/// How many ranges and other parts one task has.
int64_t part_count(const Family& family) {
  size_t parts = 1 + family.index.start.size() + family.offsets.size();
  for (const auto* boxes : {&family.reads, &family.writes})
    for (const Boxes& box : *boxes)
      parts += 1 + box.start.size();
  return static_cast<int64_t>(parts);
}

std::vector<Box> boxes_at(const std::vector<Boxes>& boxes, const Point& point) {
  std::vector<Box> result;
  result.reserve(boxes.size());
  for (const Boxes& each : boxes)
    result.push_back(each.at(point));
  return result;
}

Event task_at(const Family& family, const Point& point) {
  Event event;
  event.position = family.position.at(point);
  event.worker = family.worker.at(point);
  event.index = family.index.at(point);
  event.reads = boxes_at(family.reads, point);
  event.writes = boxes_at(family.writes, point);
  event.offsets.reserve(family.offsets.size());
  for (const Affine& offset : family.offsets)
    event.offsets.push_back(offset.at(point));
  return event;
}

Event move_at(const Moves& moves, const Point& point) {
  Event event;
  event.position = moves.position.at(point);
  event.worker = moves.to.at(point);
  event.from = moves.from.at(point);
  event.is_move = true;
  event.reads.push_back(moves.box.at(point));
  event.writes = event.reads;
  return event;
}

/// The same events by position.
std::vector<Event> sorted(std::vector<Event> events) {
  std::vector<std::pair<int64_t, size_t>> order(events.size());
  for (size_t i = 0; i < events.size(); ++i)
    order[i] = {events[i].position, i};
  if (std::is_sorted(order.begin(), order.end()))
    return events;
  std::sort(order.begin(), order.end());
  std::vector<Event> result;
  result.reserve(events.size());
  for (const auto& [position, i] : order)
    result.push_back(std::move(events[i]));
  return result;
}

/// Calls `f` on each pair of numbers of two families of the same form, in one order.
template <class T, class F>
  requires requires(T& boxes) { boxes.start; }
void for_each_affine(T& a, T& b, F&& f) {
  for (size_t dim = 0; dim < a.start.size(); ++dim)
    f(a.start[dim], b.start[dim]);
}
template <class T, class F>
  requires requires(T& tasks) { tasks.piece; }
void for_each_affine(T& a, T& b, F&& f) {
  f(a.position, b.position);
  f(a.worker, b.worker);
  for_each_affine(a.index, b.index, f);
  for (size_t i = 0; i < a.reads.size(); ++i)
    for_each_affine(a.reads[i], b.reads[i], f);
  for (size_t i = 0; i < a.writes.size(); ++i)
    for_each_affine(a.writes[i], b.writes[i], f);
  for (size_t i = 0; i < a.offsets.size(); ++i)
    f(a.offsets[i], b.offsets[i]);
}
template <class T, class F>
  requires requires(T& moves) { moves.tensor; }
void for_each_affine(T& a, T& b, F&& f) {
  f(a.position, b.position);
  f(a.from, b.from);
  f(a.to, b.to);
  for_each_affine(a.box, b.box, f);
}

bool has_same_form(const Boxes& a, const Boxes& b) {
  return a.extent == b.extent && a.start.size() == b.start.size();
}
bool has_same_form(const std::vector<Boxes>& a, const std::vector<Boxes>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Boxes& x, const Boxes& y) { return has_same_form(x, y); });
}
bool has_same_form(const Family& a, const Family& b) {
  return a.piece == b.piece && a.counts == b.counts && has_same_form(a.index, b.index) &&
         has_same_form(a.reads, b.reads) && has_same_form(a.writes, b.writes) &&
         a.offsets.size() == b.offsets.size();
}
bool has_same_form(const Moves& a, const Moves& b) {
  return a.tensor == b.tensor && a.counts == b.counts && has_same_form(a.box, b.box);
}

/// By how much b's numbers are greater than a's; false where the two differ in more than that, or
/// by more than a step that can be counted on.
template <class T> bool find_steps(const T& a, const T& b, Point& steps) {
  if (!has_same_form(a, b))
    return false;
  bool fits = true;
  steps.clear();
  for_each_affine(a, b, [&](const Affine& x, const Affine& y) {
    int64_t step = 0;
    fits &= x.steps == y.steps && !__builtin_sub_overflow(y.first, x.first, &step);
    steps.push_back(step);
  });
  return fits;
}

/// `count` families that follow `family` in equal steps, itself the first.
template <class T> T repeated(T family, int64_t count, const Point& steps) {
  family.counts.insert(family.counts.begin(), count);
  size_t i = 0;
  for_each_affine(family, family, [&](Affine& number, const Affine&) {
    number.steps.insert(number.steps.begin(), steps[i++]);
  });
  return family;
}

template <class T> std::vector<T> folded_once(const std::vector<T>& list) {
  std::vector<T> result;
  Point steps, next;
  for (size_t i = 0; i < list.size();) {
    size_t end = i + 1;
    if (end < list.size() && find_steps(list[i], list[end], steps))
      for (++end; end < list.size() && find_steps(list[end - 1], list[end], next) && next == steps;)
        ++end;
    result.push_back(end - i == 1 ? list[i]
                                  : repeated(list[i], static_cast<int64_t>(end - i), steps));
    i = end;
  }
  return result;
}

template <class T> std::vector<T> folded_whole(const std::vector<T>& list) {
  std::vector<T> result = folded_once(list);
  for (size_t before = list.size(); result.size() < before;) {
    before = result.size();
    result = folded_once(result);
  }
  return result;
}

} // namespace

std::string too_large(const Plan& plan) {
  int64_t events = 0, ranges = 0;
  auto count = [&](const Point& counts, int64_t parts) {
    int64_t points = point_count(counts);
    events = std::min(kMostEvents + 1, events + std::min(kMostEvents + 1, points));
    ranges = std::min(kMostRanges + 1,
                      ranges + std::min(kMostRanges + 1, bounded_product(points, parts)));
  };
  for (const Family& family : plan.tasks)
    count(family.counts, part_count(family));
  for (const Moves& moves : plan.moves)
    count(moves.counts, 1 + static_cast<int64_t>(moves.box.start.size()));
  if (events > kMostEvents)
    return "expected at most " + std::to_string(kMostEvents) + " tasks and transfers, but got more";
  if (ranges > kMostRanges)
    return "expected boxes with at most " + std::to_string(kMostRanges) +
           " ranges in all, but got more";
  return {};
}

std::vector<Event> expand(const Plan& plan) {
  if (std::string reason = too_large(plan); !reason.empty())
    fail(ErrorKind::value, "plan-too-large", reason);
  std::vector<Event> events;
  auto expand_family = [&](const auto& family, size_t number, auto at) {
    for_each_point(Box::of_shape(family.counts), [&](const Point& point) {
      events.push_back(at(family, point));
      events.back().family = static_cast<int64_t>(number);
    });
  };
  int64_t total = 0;
  for (const Family& family : plan.tasks)
    total += point_count(family.counts);
  for (const Moves& moves : plan.moves)
    total += point_count(moves.counts);
  events.reserve(static_cast<size_t>(total));
  for (size_t i = 0; i < plan.tasks.size(); ++i)
    expand_family(plan.tasks[i], i, task_at);
  for (size_t i = 0; i < plan.moves.size(); ++i)
    expand_family(plan.moves[i], i, move_at);
  return sorted(std::move(events));
}

std::vector<Family> folded(const std::vector<Family>& tasks) { return folded_whole(tasks); }
std::vector<Moves> folded(const std::vector<Moves>& moves) { return folded_whole(moves); }

} // namespace kolam::plans
