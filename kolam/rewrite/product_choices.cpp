// Products: in another order, and several of one factor as one.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/language/concat.h"
#include "kolam/language/contract.h"
#include "kolam/language/slice.h"
#include "kolam/rewrite/choice_parts.h"
#include "kolam/rewrite/dependence.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using mlir::Operation;
using mlir::Value;

/// The letters of a contraction without `where`.
struct Letters {
  std::string factors[2], result;
};

std::optional<Letters> letters_of(ir::ContractOp op) {
  if (!op || op.getWhere() || !is_plain(op))
    return std::nullopt;
  ir::ContractLetters letters = ir::contract_letters(op.getSpec());
  return Letters{{std::move(letters.lhs), std::move(letters.rhs)}, std::move(letters.result)};
}

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

// --- associate_products

/// The letters of an inner product under those of the outer one; summed ones get new ones. None
/// where the alphabet ends.
std::optional<Letters> renamed(const Letters& inner, const std::string& outer,
                               const std::string& used) {
  std::map<char, char> names;
  for (size_t place = 0; place < inner.result.size(); ++place)
    names[inner.result[place]] = outer[place];
  std::string taken = used + outer;
  Letters own = inner;
  own.result = outer;
  for (std::string& factor : own.factors)
    for (char& letter : factor) {
      auto [found, is_new] = names.try_emplace(letter, 0);
      if (is_new) {
        const std::optional<char> free = free_letter(taken);
        if (!free)
          return std::nullopt;
        found->second = *free;
        taken += *free;
      }
      letter = found->second;
    }
  return own;
}

/// Three factors, of which two are multiplied first. In their order from left to right.
struct Association {
  Value outside, factors[2]; ///< factors of the first product, in order
  std::string outside_letters, letters[2];
  std::string first; ///< letters of the first product
  std::string result;
  bool is_outside_left = false;
};

std::optional<Association> association_of(Operation* op, const Parameters& parameters) {
  const int64_t side = number_in(parameters, "side", -1),
                factor = number_in(parameters, "factor", -1);
  auto outer = llvm::dyn_cast<ir::ContractOp>(op);
  const std::optional<Letters> spec = letters_of(outer);
  if (!spec || (side != 0 && side != 1) || (factor != 0 && factor != 1))
    return std::nullopt;
  auto inner = op->getOperand(static_cast<unsigned>(side)).getDefiningOp<ir::ContractOp>();
  const std::optional<Letters> inside = letters_of(inner);
  if (!inside)
    return std::nullopt;
  const std::string& other = spec->factors[1 - side];
  const std::optional<Letters> own =
      renamed(*inside, spec->factors[side], spec->factors[0] + spec->factors[1] + spec->result);
  if (!own)
    return std::nullopt;
  const Value third = op->getOperand(static_cast<unsigned>(1 - side));
  const Value joined = inner->getOperand(static_cast<unsigned>(factor));
  Association made{.outside = inner->getOperand(static_cast<unsigned>(1 - factor)),
                   .factors = {joined, third},
                   .outside_letters = own->factors[1 - factor],
                   .letters = {own->factors[factor], other},
                   .first = {},
                   .result = spec->result,
                   .is_outside_left = side == 0};
  if (side == 1) {
    std::swap(made.factors[0], made.factors[1]);
    std::swap(made.letters[0], made.letters[1]);
  }
  const DType dtype = ir::dtype_of(inner.getResult());
  for (Value factor : {made.outside, made.factors[0], made.factors[1]})
    if (ir::dtype_of(factor) != dtype)
      return std::nullopt;
  for (const std::string& letters : made.letters)
    for (char letter : letters)
      if ((has(made.outside_letters, letter) || has(made.result, letter)) &&
          !has(made.first, letter))
        made.first += letter;
  return made;
}

std::vector<Parameters> ways_to_associate(Operation* op, int64_t) {
  std::vector<Parameters> ways;
  for (int64_t side : {0, 1})
    for (int64_t factor : {1 - side, side}) {
      Parameters way{{"side", {side}}, {"factor", {factor}}};
      if (association_of(op, way))
        ways.push_back(std::move(way));
    }
  return ways;
}

std::vector<Replacement> associate_products(Operation* op, const Parameters& parameters,
                                            Builder& b) {
  const std::optional<Association> made = association_of(op, parameters);
  if (!made)
    return {};
  const DType inner = ir::dtype_of(made->outside), outer = ir::dtype_of(op->getResult(0));
  const Value first =
      language::contract(b, made->factors[0], made->factors[1],
                         made->letters[0] + "," + made->letters[1] + "->" + made->first, inner);
  const Value result =
      made->is_outside_left
          ? language::contract(b, made->outside, first,
                               made->outside_letters + "," + made->first + "->" + made->result,
                               outer)
          : language::contract(b, first, made->outside,
                               made->first + "," + made->outside_letters + "->" + made->result,
                               outer);
  return {{op->getResult(0), result}};
}

/// Integers wrap, whatever the order, where all have one width.
bool is_of_one_integer(Operation* op, const Parameters& parameters) {
  const std::optional<Association> made = association_of(op, parameters);
  const DType dtype = ir::dtype_of(op->getResult(0));
  return made && is_integer(dtype) && ir::dtype_of(made->outside) == dtype;
}

// --- fuse_projections

/// Two products of one factor, whose other factors may be stacked along a dim.
struct Stack {
  ir::ContractOp first, second;
  unsigned stacked = 0; ///< the operand
  int64_t dim = 0, result_dim = 0;
};

/// The only dim along which they may differ; -1 where they differ in others, or it is not free.
int64_t dim_of_stack(const Stack& stack, const Letters& letters) {
  const Shape x = ir::shape_of(stack.first->getOperand(stack.stacked)),
              y = ir::shape_of(stack.second->getOperand(stack.stacked));
  const std::string &own = letters.factors[stack.stacked],
                    &other = letters.factors[1 - stack.stacked];
  int64_t found = -1;
  for (size_t dim = 0; dim < own.size(); ++dim) {
    const bool is_free = has(letters.result, own[dim]) && !has(other, own[dim]);
    if (!(x[dim] == y[dim])) {
      for (size_t rest = dim + 1; rest < own.size(); ++rest)
        if (!(x[rest] == y[rest]))
          return -1;
      return is_free ? static_cast<int64_t>(dim) : -1;
    }
    if (is_free)
      found = static_cast<int64_t>(dim);
  }
  return found;
}

std::optional<Stack> stack_of(Operation* first, Operation* second) {
  Stack stack{.first = llvm::dyn_cast_if_present<ir::ContractOp>(first),
              .second = llvm::dyn_cast<ir::ContractOp>(second)};
  if (first == second || !stack.first || !stack.second)
    return std::nullopt;
  const std::optional<Letters> letters = letters_of(stack.second);
  if (!letters || !letters_of(stack.first) || stack.first.getSpec() != stack.second.getSpec() ||
      stack.first.getAccumulate() != stack.second.getAccumulate() ||
      ir::dtype_of(stack.first.getResult()) != ir::dtype_of(stack.second.getResult()))
    return std::nullopt;
  for (unsigned shared : {0u, 1u}) {
    stack.stacked = 1 - shared;
    const Value x = stack.first->getOperand(stack.stacked),
                y = stack.second->getOperand(stack.stacked);
    const bool fits = stack.first->getOperand(shared) == stack.second->getOperand(shared) &&
                      ir::dtype_of(x) == ir::dtype_of(y) && !depends_on(x, stack.second) &&
                      !depends_on(y, stack.first);
    stack.dim = fits ? dim_of_stack(stack, *letters) : -1;
    if (stack.dim < 0)
      continue;
    const char letter = letters->factors[stack.stacked][static_cast<size_t>(stack.dim)];
    stack.result_dim = static_cast<int64_t>(letters->result.find(letter));
    return stack;
  }
  return std::nullopt;
}

std::vector<Parameters> ways_to_fuse(Operation* op, int64_t) {
  std::vector<Parameters> ways;
  if (!llvm::isa<ir::ContractOp>(op))
    return ways;
  int64_t number = -1;
  for (Operation& other : *op->getBlock()) {
    ++number;
    if (&other == op)
      break;
    if (stack_of(&other, op))
      ways.push_back({{"with", {number}}});
  }
  return ways;
}

std::vector<Replacement> fuse_projections(Operation* op, const Parameters& parameters, Builder& b) {
  std::optional<Stack> stack = stack_of(op_numbered(op, number_in(parameters, "with", -1)), op);
  if (!stack)
    return {};
  const Value stacked = language::concat(
      b, {stack->first->getOperand(stack->stacked), stack->second->getOperand(stack->stacked)},
      stack->dim);
  Operation* fused = b.insert(op->clone());
  fused->setOperand(stack->stacked, stacked);
  Shape shape = ir::shape_of(op->getResult(0));
  const int64_t left = extent_of(stack->first.getResult(), stack->result_dim),
                right = extent_of(stack->second.getResult(), stack->result_dim);
  shape[static_cast<size_t>(stack->result_dim)] = left + right;
  const Value all = fused->getResult(0);
  fused->getResult(0).setType(language::tensor_type(b, ir::dtype_of(all), shape));
  return {{stack->first.getResult(), language::slice_dim(b, all, stack->result_dim, 0, left)},
          {op->getResult(0), language::slice_dim(b, all, stack->result_dim, left, right)}};
}

// --- programs

Value association_sample(Sample& s) {
  constexpr DType kDtypes[] = {DType::f32, DType::f64, DType::i32};
  const DType dtype = kDtypes[s.number(0, 2)];
  const int64_t m = s.number(1, 9), k = s.number(1, 9), n = s.number(1, 9), p = s.number(1, 9);
  const Value x = s.argument(dtype, {m, k}), y = s.argument(dtype, {k, n}),
              z = s.argument(dtype, {n, p});
  return s.number(0, 1) ? language::matmul(s.b, language::matmul(s.b, x, y), z)
                        : language::matmul(s.b, x, language::matmul(s.b, y, z));
}

Value projection_sample(Sample& s) {
  const int64_t m = s.number(1, 9), k = s.number(1, 9);
  const Value x = s.argument(DType::f32, {m, k});
  // Both add in the same order: few columns go by lanes.
  const Value y = language::matmul(s.b, x, s.argument(DType::f32, {k, s.number(16, 24)}));
  const Value z = language::matmul(s.b, x, s.argument(DType::f32, {k, s.number(16, 24)}));
  return language::concat(s.b, {y, z}, 1);
}

constexpr Choice kChoices[] = {
    {.name = "associate_products",
     .equation = "(A B) x = A (B x), of any contractions",
     .condition = "a product one of whose factors is a product, all of one dtype",
     .parameters = "side: the factor that is a product; factor: which of its own is multiplied "
                   "with the other one first",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_associate,
     .apply = associate_products,
     .sample = association_sample,
     .is_exact = is_of_one_integer},
    {.name = "fuse_projections",
     .equation = "x W1, x W2 = x [W1 W2], and its parts",
     .condition = "two products of one factor that add alike, of one dtype",
     .parameters = "with: the first product",
     .keeps = Keeps::exact,
     .is_searched = true,
     .ways = ways_to_fuse,
     .apply = fuse_projections,
     .sample = projection_sample},
};

} // namespace

std::span<const Choice> product_choices() { return kChoices; }

} // namespace kolam::rewrite
