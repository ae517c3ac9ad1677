// The order of waves in closed form, where the lists of each instance are equally long at each
// level.
//
// Of scans of n and m steps, wave w has the cells whose first scan is at step
// max(0, w - m + 1) .. min(n - 1, w); w less that is the step of the second. For each there is a
// cell for each place of the maps. Instances may be of different sizes: sorted by the number of
// their waves, those that have a wave are the first ones. The cells of one instance in one wave are
// a *run*; runs are numbered wave by wave.
#include "kolam/transform/lists/cell_order.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/slice.h"
#include "kolam/language/sort.h"

namespace kolam::transform::lists {
namespace {

/// How many elements lists have, by level: scalars, or vectors.
using Sizes = std::vector<Value>;

class Rectangles {
public:
  Rectangles(const NestFrames& in, Frames& frames)
      : in_(in), frames_(frames), integers_(frames.integers), zero_(integers_.constant(0)),
        one_(integers_.constant(1)), is_one_(in.outer->count == Extent(1)) {
    for (size_t level = 0; level < in.levels.size(); ++level)
      (in.nest->scan(level) ? scans_ : maps_).push_back(level);
  }

  bool fits() const {
    // Cells that share weights must be neighbours, also of several instances.
    bool has_weights =
        llvm::any_of(scans_, [&](size_t level) { return in_.nest->has_weights_of(level); });
    return in_.is_rectangular() && scans_.size() <= 2 && (is_one_ || !has_weights);
  }

  CellOrder order() && {
    make_runs();
    CellOrder result{waves_, integers_.take(run_offsets_, starts_), numbers(), {}, {}};
    if (is_one_) {
      result.all.frame = in_.cells();
      result.wave = [self = *this](Value wave, const Extent& count) {
        return self.wave_of_one(wave, count);
      };
    } else {
      result.all = all_cells();
    }
    return result;
  }

private:
  Value add(Value x, Value y) const { return integers_.add(x, y); }
  Value subtract(Value x, Value y) const { return integers_.subtract(x, y); }
  Value multiply(Value x, Value y) const { return integers_.apply(Fn::multiply, x, y); }
  Value divide(Value x, Value y) const { return integers_.apply(Fn::floor_divide, x, y); }
  Value largest_of(Value x, Value y) const { return integers_.apply(Fn::maximum, x, y); }

  Sizes sizes_of(Value instances) const {
    Sizes result = sizes_;
    if (!is_one_)
      for (Value& size : result)
        size = integers_.take(size, instances);
    return result;
  }
  Value second(const Sizes& sizes) const { return scans_.size() == 2 ? sizes[scans_[1]] : one_; }
  /// How many places the maps have.
  Value width(const Sizes& sizes) const {
    Value product = one_;
    for (size_t level : maps_)
      product = product == one_ ? sizes[level] : multiply(product, sizes[level]);
    return product;
  }
  Value widened(Value steps, const Sizes& sizes) const {
    return maps_.empty() ? steps : multiply(steps, width(sizes));
  }
  /// At which step of the first scan a run begins.
  Value first_step(Value wave, const Sizes& sizes) const {
    return largest_of(zero_, add(subtract(wave, second(sizes)), one_));
  }
  Value run_size(Value wave, const Sizes& sizes) const {
    Value last = integers_.apply(Fn::minimum, wave, subtract(sizes[scans_[0]], one_));
    return widened(add(subtract(last, first_step(wave, sizes)), one_), sizes);
  }

  void make_runs() {
    sizes_ = in_.sizes;
    if (is_one_)
      for (Value& size : sizes_)
        size = integers_.as_scalar(size);
    Value waves = subtract(add(sizes_[scans_[0]], second(sizes_)), one_);
    for (Value size : sizes_)
      waves = language::elementwise(integers_.b, Fn::where,
                                    {integers_.apply(Fn::equal, size, zero_), zero_, waves});
    waves_ = is_one_ ? waves : integers_.largest(waves);
    Extent count = integers_.bind(waves_), runs = count;
    if (is_one_) {
      starts_ = integers_.iota(count + Extent(1));
      run_waves_ = integers_.iota(count);
    } else {
      const Extent& instances = in_.outer->count;
      Value in_order = language::cast(
          integers_.b, language::sort(integers_.b, waves, 0, true).indices, DType::i64);
      ranks_ = integers_.put(integers_.fill(instances, 0), integers_.iota(instances), in_order);
      Value through = integers_.running_sum(integers_.count(waves, count + Extent(1)));
      through = language::slice_dim(integers_.b, through, 0, Extent(1), count);
      starts_ = integers_.running_sum(subtract(integers_.extent(instances), through));
      runs = integers_.bind(integers_.row(starts_, waves_));
      run_waves_ = integers_.owners(starts_, runs);
      run_ranks_ = subtract(integers_.iota(runs), integers_.take(starts_, run_waves_));
      run_instances_ = integers_.take(in_order, run_ranks_);
    }
    Sizes sizes = sizes_of(run_instances_);
    run_offsets_ = integers_.running_sum(run_size(run_waves_, sizes));
    runs_ = runs;
    bases_ = subtract(language::slice_dim(integers_.b, run_offsets_, 0, Extent(0), runs),
                      widened(first_step(run_waves_, sizes), sizes));
  }

  /// Cells by their wave, and by place: the step of the first scan, with the place of the maps.
  /// `base_before` is the number that place 0 of the wave before would have.
  OrderedCells cells_at(Value wave, Value place, const Sizes& sizes, Value instances,
                        Value base_before) const {
    const Extent count = ir::shape_of(place)[0];
    OrderedCells cells;
    cells.places.resize(in_.levels.size());
    Value step = maps_.empty() ? place : divide(place, width(sizes));
    Value rest = maps_.empty() ? Value() : subtract(place, widened(step, sizes));
    for (size_t level : llvm::reverse(maps_)) {
      Value outer = divide(rest, sizes[level]);
      cells.places[level] =
          level == maps_[0] ? rest : subtract(rest, multiply(outer, sizes[level]));
      rest = outer;
    }
    for (size_t level : scans_) {
      if (level != scans_[0])
        step = subtract(wave, step);
      cells.steps[level] = step;
      cells.places[level] =
          in_.nest->scan(level).getReverse() ? integers_.from_end(sizes[level], step) : step;
    }
    Value beside = add(base_before, place);
    cells.before[scans_[0]] = subtract(beside, width(sizes));
    if (scans_.size() == 2)
      cells.before[scans_[1]] = beside;
    Frame::Paths paths{{in_.outer, instances}};
    Value element = instances;
    for (size_t level = 0; level < in_.levels.size(); ++level) {
      const LevelRef& structure = in_.levels[level];
      Value list = element;
      if (is_one_ && level == 0) { // the only list
        element = cells.places[0];
      } else {
        Value start =
            is_one_ ? multiply(list, sizes[level]) : integers_.take(structure->offsets, list);
        element = add(start, cells.places[level]);
        frames_.know_elements(structure, element, list, start);
      }
      paths.emplace(in_.elements[level], element);
    }
    cells.frame = frames_.make(in_.cells(), count, element, false, std::move(paths));
    return cells;
  }

  OrderedCells wave_of_one(Value wave, const Extent& count) const {
    Value first = widened(first_step(wave, sizes_), sizes_);
    Value before = largest_of(subtract(wave, one_), zero_);
    return cells_at(wave, integers_.count_from(first, count), sizes_, integers_.fill(count, 0),
                    integers_.row(bases_, before));
  }

  OrderedCells all_cells() const {
    const Extent& count = in_.cells()->count;
    // A lone scan has one cell in each run.
    Value runs =
        in_.levels.size() == 1 ? integers_.iota(count) : integers_.owners(run_offsets_, count);
    Value wave = integers_.take(run_waves_, runs);
    Value instances = integers_.take(run_instances_, runs);
    Value place = subtract(integers_.iota(count), integers_.take(bases_, runs));
    Value before = integers_.take(starts_, largest_of(subtract(wave, one_), zero_));
    before = add(before, integers_.take(run_ranks_, runs));
    return cells_at(wave, place, sizes_of(instances), instances, integers_.take(bases_, before));
  }

  Value numbers() const {
    Cells cells = cells_of(in_, in_.cells(), frames_);
    Value instances = frames_.path(in_.cells(), in_.outer);
    Sizes sizes = sizes_of(instances);
    Value wave = cells.steps.at(scans_[0]), place;
    if (scans_.size() == 2)
      wave = add(wave, cells.steps.at(scans_[1]));
    for (size_t level : maps_)
      place = place ? add(multiply(place, sizes[level]), cells.places[level]) : cells.places[level];
    Value first = widened(cells.steps.at(scans_[0]), sizes);
    place = place ? add(first, place) : first;
    Value run =
        is_one_ ? wave : add(integers_.take(starts_, wave), integers_.take(ranks_, instances));
    return add(integers_.take(bases_, run), place);
  }

  const NestFrames& in_;
  Frames& frames_;
  Integers& integers_;
  Value zero_, one_;
  bool is_one_;
  std::vector<size_t> scans_, maps_;

  Sizes sizes_;  ///< of instances; scalars of one
  Value waves_;  ///< how many
  Value starts_; ///< i64 [waves + 1]: each one's first run
  Value ranks_;  ///< i64 [instances]: of each, by the number of waves
  Extent runs_;  ///< how many
  Value run_waves_, run_ranks_, run_instances_; ///< i64 [runs]; the last two not of one instance
  Value run_offsets_;                           ///< i64 [runs + 1]: each one's first cell
  Value bases_; ///< i64 [runs]: what a cell's place is ahead of its number by
};

} // namespace

std::optional<CellOrder> rectangle_order(const NestFrames& in, Frames& frames) {
  Rectangles rectangles(in, frames);
  if (!rectangles.fits())
    return std::nullopt;
  return std::move(rectangles).order();
}

} // namespace kolam::transform::lists
