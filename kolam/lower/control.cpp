// Emits loops, choices, and code for several elements at once.
#include "kolam/lower/emission.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/error.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kolam::lower {

Emission::Frame Emission::frame_here(bool is_branch) {
  return {nullptr, b.saveInsertionPoint(), scopes_.size(), lanes_, mask_, is_branch};
}

template <class F> void Emission::inside(mlir::OpBuilder& inner, Frame frame, const F& body) {
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::scf::YieldOp::create(b, enclosed(inner, frame, body));
}

template <class F> Values Emission::enclosed(mlir::OpBuilder& inner, Frame frame, const F& body) {
  b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
  frame.body = inner.getInsertionBlock();
  frames_.push_back(frame);
  enter();
  Values values = body();
  leave();
  frames_.pop_back();
  return values;
}

size_t Emission::depth_of(Value value) const {
  mlir::Block* block = value.getParentBlock();
  for (size_t depth = frames_.size(); depth > 0; --depth)
    if (frames_[depth - 1].body == block)
      return depth;
  return 0;
}

size_t Emission::depth_of_cells(mlir::Operation* op, IndexSpan index) const {
  // A body's ops depend on its arguments too. A number is there whichever lanes count.
  const bool may_depend_on_more =
      op->getBlock() != nest_.root->getBlock() || (mask_.may_be_empty && !index.empty());
  return may_depend_on_more ? frames_.size() : depth_of_index(index);
}

size_t Emission::depth_of_index(IndexSpan index) const {
  size_t depth = frames_.size(), needed = 0;
  for (const Coordinate& i : index) {
    if (!i.is_uniform())
      return depth;
    needed = std::max(needed, depth_of(i.base));
  }
  while (depth > needed && !frames_[depth - 1].is_branch && !frames_[depth - 1].mask.may_be_empty)
    --depth;
  return depth;
}

size_t Emission::depth_of_lanes(IndexSpan index) const {
  size_t depth = frames_.size(), needed = mask_.lanes ? depth_of(mask_.lanes) : 0;
  for (const Coordinate& i : index)
    for (Value number : {i.base, i.lanes})
      needed = std::max(needed, number ? depth_of(number) : 0);
  auto is_alike = [&](const Frame& frame) {
    return !frame.is_branch && frame.lanes == lanes_ && frame.mask.lanes == mask_.lanes &&
           frame.mask.may_be_empty == mask_.may_be_empty;
  };
  while (depth > needed && is_alike(frames_[depth - 1]))
    --depth;
  return depth;
}

Values Emission::in_front(size_t depth, llvm::function_ref<Values()> emit) {
  // What is the same for all lanes is computed once.
  int lanes = std::exchange(lanes_, 1);
  Mask mask = std::exchange(mask_, Mask());
  Values values = in_front_by_lanes(depth, emit);
  lanes_ = lanes;
  mask_ = mask;
  return values;
}

Values Emission::in_front_by_lanes(size_t depth, llvm::function_ref<Values()> emit) {
  mlir::OpBuilder::InsertionGuard guard(b);
  std::vector<Frame> frames;
  if (depth < frames_.size()) {
    b.restoreInsertionPoint(frames_[depth].before);
    frames.assign(frames_.begin() + depth, frames_.end());
    frames_.resize(depth);
  }
  // The elements are known to all that follows in the frame, not only to the lanes that asked
  // first; of lanes that chose to themselves alone.
  size_t own = depth == 0 ? 1 : frames_.back().scopes + 1;
  if (mask_.may_be_empty)
    own = frames.empty() ? scopes_.size() : frames[0].scopes;
  std::vector<Scope> scopes(std::make_move_iterator(scopes_.begin() + own),
                            std::make_move_iterator(scopes_.end()));
  scopes_.resize(own);
  Values values = emit();
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  scopes_.insert(scopes_.end(), std::make_move_iterator(scopes.begin()),
                 std::make_move_iterator(scopes.end()));
  return values;
}

void Emission::loop(Value lower, Value upper, llvm::function_ref<void(Value)> body, int64_t step) {
  loop(
      lower, upper, {},
      [&](Value i, ValueSpan) {
        body(i);
        return Values();
      },
      step);
}

Values Emission::loop(Value lower, Value upper, ValueSpan state,
                      llvm::function_ref<Values(Value, ValueSpan)> body, int64_t step) {
  auto first = constant_of(lower), last = constant_of(upper);
  if (first && last && *first >= *last)
    return Values(state.begin(), state.end());
  if (first && last && *last - *first <= unrolled_ * step) {
    Values next(state.begin(), state.end());
    for (int64_t i = *first; i < *last; i += step)
      next = body(i64(i), next);
    return next;
  }
  Value by = i64(step);
  Frame frame = frame_here(/*is_branch=*/false);
  auto loop = mlir::scf::ForOp::create(
      b, lower, upper, by, state,
      [&](mlir::OpBuilder& inner, mlir::Location loc, Value i, mlir::ValueRange carried) {
        auto least = ranges_.of(lower), most = ranges_.of(upper);
        if (least && most)
          assume(i, least->least, most->most - Extent(1), 0);
        inside(inner, frame, [&] { return body(i, Values(carried.begin(), carried.end())); });
      });
  return Values(loop.getResults().begin(), loop.getResults().end());
}

void Emission::turn_by_turn(int64_t most, llvm::function_ref<void()> body) {
  const int64_t outer = std::exchange(unrolled_, most);
  body();
  unrolled_ = outer;
}

Values Emission::repeat(ValueSpan state, llvm::function_ref<Value(ValueSpan)> holds,
                        llvm::function_ref<Values(ValueSpan)> body) {
  return repeat_checked(
      state,
      [&](ValueSpan carried) {
        return Checked{holds(carried), Values(carried.begin(), carried.end())};
      },
      body);
}

Values Emission::repeat_checked(ValueSpan state, llvm::function_ref<Checked(ValueSpan)> check,
                                llvm::function_ref<Values(ValueSpan)> body) {
  Frame frame = frame_here(/*is_branch=*/false);
  llvm::SmallVector<mlir::Type> types;
  for (Value value : state)
    types.push_back(value.getType());
  auto loop = mlir::scf::WhileOp::create(
      b, types, state,
      [&](mlir::OpBuilder& inner, mlir::Location, mlir::ValueRange carried) {
        mlir::OpBuilder::InsertionGuard guard(b);
        Values checked = enclosed(inner, frame, [&] {
          auto [goes_on, states] = check(Values(carried.begin(), carried.end()));
          Value runs = mlir::arith::XOrIOp::create(b, is_cancelled(), constant(DType::boolean, 1));
          states.push_back(mlir::arith::AndIOp::create(b, goes_on, runs));
          return states;
        });
        mlir::scf::ConditionOp::create(b, checked.pop_back_val(), checked);
      },
      [&](mlir::OpBuilder& inner, mlir::Location, mlir::ValueRange carried) {
        inside(inner, frame, [&] { return body(Values(carried.begin(), carried.end())); });
      });
  return Values(loop.getResults().begin(), loop.getResults().end());
}

namespace {

/// A mask as a loop carries it. Where masks have no registers of their own (Note [Carried masks]),
/// that is an integer for each lane, negative for those of the mask.
Value carried_mask(Value mask, Emission& e) {
  auto type = llvm::cast<mlir::VectorType>(mask.getType());
  return e.machine.has_avx512()
             ? mask
             : mlir::arith::ExtSIOp::create(e.b, type.clone(e.b.getI32Type()), mask).getResult();
}
Value mask_of(Value carried, Emission& e) {
  auto type = llvm::cast<mlir::VectorType>(carried.getType());
  if (type.getElementType().isInteger(1))
    return carried;
  Value zero = mlir::arith::ConstantOp::create(e.b, e.b.getZeroAttr(type));
  return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::slt, carried, zero);
}

} // namespace

Values Emission::repeat_lanes(ValueSpan state, llvm::function_ref<Value(ValueSpan)> holds,
                              llvm::function_ref<Values(ValueSpan)> body,
                              llvm::function_ref<bool(size_t)> is_read) {
  Mask outer = mask_;
  Values all(state.begin(), state.end());
  Value lanes = outer.lanes ? outer.lanes : spread(constant(DType::boolean, 1));
  all.push_back(carried_mask(lanes, *this));
  Values last = repeat_checked(
      all,
      [&](ValueSpan carried) {
        mask_ = {mask_of(carried.back(), *this), outer.may_be_empty};
        Value on = carried_mask(spread(holds(carried.drop_back())), *this);
        mask_ = outer;
        Values next(carried.drop_back());
        next.push_back(mlir::arith::AndIOp::create(b, carried.back(), on));
        return Checked{any(mask_of(next.back(), *this)), next};
      },
      [&](ValueSpan carried) {
        mask_ = {mask_of(carried.back(), *this), /*may_be_empty=*/false};
        Values next = spread(body(carried.drop_back()));
        for (auto [number, value] : llvm::enumerate(next))
          if (is_read(number))
            value = mlir::arith::SelectOp::create(b, mask_.lanes, value, carried[number]);
        next.push_back(carried.back());
        mask_ = outer;
        return next;
      });
  last.pop_back();
  return last;
}

Value Emission::any(Value lanes) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(lanes.getType());
  if (!vector)
    return lanes;
  auto bits = b.getIntegerType(static_cast<unsigned>(vector.getNumElements()));
  Value number = mlir::LLVM::BitcastOp::create(b, bits, both(mask_.lanes, lanes));
  return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne, number,
                                     mlir::arith::ConstantIntOp::create(b, bits, 0));
}

void Emission::loops(ValueSpan shape, llvm::function_ref<void(IndexSpan)> body) {
  Index index;
  std::function<void(size_t)> nested = [&](size_t dim) {
    if (dim == shape.size())
      return body(index);
    loop(i64(0), shape[dim], [&](Value i) {
      index.push_back(i);
      nested(dim + 1);
      index.pop_back();
    });
  };
  nested(0);
}

Values Emission::choose(Value condition, llvm::function_ref<Values()> yes,
                        llvm::function_ref<Values()> no) {
  if (llvm::isa<mlir::VectorType>(condition.getType()))
    return choose_lanes(condition, yes, no);
  return branch(condition, spreading(yes), spreading(no), frame_here(/*is_branch=*/true));
}

Values Emission::choose_alike(Value condition, llvm::function_ref<Values()> yes,
                              llvm::function_ref<Values()> no) {
  if (llvm::isa<mlir::VectorType>(condition.getType()))
    return choose_lanes(condition, yes, no);
  return branch(condition, yes, no, frame_here(/*is_branch=*/true));
}

std::function<Values()> Emission::spreading(llvm::function_ref<Values()> values) {
  return [this, values] { return spread(values()); };
}

Values Emission::choose_way(Value condition, llvm::function_ref<Values()> yes,
                            llvm::function_ref<Values()> no) {
  KOLAM_CHECK(!llvm::isa<mlir::VectorType>(condition.getType()));
  return branch(condition, spreading(yes), spreading(no), frame_here(/*is_branch=*/false));
}

Values Emission::branch(Value condition, llvm::function_ref<Values()> yes,
                        llvm::function_ref<Values()> no, const Frame& frame) {
  if (auto known = constant_of(condition))
    return *known ? yes() : no();
  auto emit = [&](llvm::function_ref<Values()> branch) {
    return
        [&, branch](mlir::OpBuilder& inner, mlir::Location loc) { inside(inner, frame, branch); };
  };
  auto op = mlir::scf::IfOp::create(b, condition, emit(yes), emit(no));
  return Values(op.getResults().begin(), op.getResults().end());
}

Values Emission::choose_lanes(Value condition, llvm::function_ref<Values()> yes,
                              llvm::function_ref<Values()> no) {
  Mask outer = mask_;
  auto emit = [&](Value holds, llvm::function_ref<Values()> branch) {
    mask_ = {both(outer.lanes, holds), true};
    enter();
    Values values = spread(branch());
    leave();
    return values;
  };
  Value all = mlir::arith::ConstantOp::create(
      b, mlir::DenseElementsAttr::get(llvm::cast<mlir::VectorType>(condition.getType()), true));
  Values if_so = emit(condition, yes);
  Values if_not = emit(mlir::arith::XOrIOp::create(b, condition, all), no);
  mask_ = outer;
  Values results;
  for (auto [x, y] : llvm::zip(if_so, if_not))
    results.push_back(mlir::arith::SelectOp::create(b, condition, x, y));
  return results;
}

void Emission::unless_cancelled(llvm::function_ref<void()> body) {
  Value stop = is_cancelled();
  Value go = mlir::arith::XOrIOp::create(b, stop, constant(DType::boolean, 1));
  when(go, body);
}

void Emission::when(Value condition, llvm::function_ref<void()> body) {
  KOLAM_CHECK(!llvm::isa<mlir::VectorType>(condition.getType()));
  choose(
      condition,
      [&] {
        body();
        return Values();
      },
      [] { return Values(); });
}

void Emission::with_lanes(int lanes, Value active, llvm::function_ref<void()> body) {
  int outer_lanes = std::exchange(lanes_, lanes);
  int outer_counting = std::exchange(counting_, lanes);
  if (auto known = active ? constant_of(active) : std::nullopt)
    counting_ = static_cast<int>(std::clamp<int64_t>(*known, 1, lanes));
  Mask outer_mask = std::exchange(mask_, Mask());
  if (active) {
    mask_.lanes =
        compare(mlir::arith::CmpIPredicate::slt, Coordinate::progression(i64(0), 1), active);
    mask_.first = constant_of(active) ? counting_ : 0;
  }
  enter();
  body();
  leave();
  lanes_ = outer_lanes;
  counting_ = outer_counting;
  mask_ = outer_mask;
}

Values Emission::lanes_from(ValueSpan cells, int64_t first, int64_t count) {
  return llvm::map_to_vector(cells, [&](Value cell) -> Value {
    if (count == 1)
      return mlir::LLVM::ExtractElementOp::create(b, cell, i64(first));
    llvm::SmallVector<int32_t> taken;
    for (int64_t lane = 0; lane < count; ++lane)
      taken.push_back(static_cast<int32_t>(first + lane));
    return mlir::LLVM::ShuffleVectorOp::create(b, cell, cell, taken);
  });
}

Value Emission::both(Value mask, Value condition) {
  return mask ? Value(mlir::arith::AndIOp::create(b, mask, condition)) : condition;
}

Value Emission::splat(Value x) { return ScalarBuilder::splat(b, x, lanes_); }

Value Emission::spread(Value cell) {
  return lanes_ == 1 || llvm::isa<mlir::VectorType>(cell.getType()) ? cell : splat(cell);
}

Values Emission::spread(ValueSpan cells) {
  return llvm::map_to_vector(cells, [&](Value cell) { return spread(cell); });
}

} // namespace kolam::lower

// Note [Carried masks]
// A vector of booleans that goes around a loop is a vector of bytes to LLVM 22 where the machine
// has no registers for masks: each step would pack what a comparison gives, and unpack it for the
// selects. A vector of 32-bit integers is what comparisons of 32-bit elements give there. The
// integers are joined as integers, so that LLVM does not find booleans in them again.
