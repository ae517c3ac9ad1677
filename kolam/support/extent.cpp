// Builds extents in normal form, and evaluates and substitutes them.
#include "kolam/support/extent.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "kolam/support/checked.h"
#include "kolam/support/extent_node.h"

namespace kolam {
namespace {

using Atom = ExtentAtom;
using Term = ExtentTerm;
using Kind = ExtentAtom::Kind;

// Normal forms multiply sums out: a bound keeps hostile input from filling the memory.
constexpr int kMaxSize = 4000;
constexpr int kMaxDepth = 200;

void check_size(int64_t size, int depth) {
  if (size > kMaxSize || depth > kMaxDepth)
    fail(ErrorKind::value, "extent-too-large",
         "expected an extent of at most " + std::to_string(kMaxSize) + " operations, " +
             std::to_string(kMaxDepth) + " deep, but got " + std::to_string(size) +
             " operations, " + std::to_string(depth) + " deep");
}

bool same_factors(const Term& a, const Term& b) {
  return std::equal(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                    [](const auto& x, const auto& y) { return x->text == y->text; });
}

// Graded: it is kept by multiplication, as exact division needs.
bool comes_before(const Term& a, const Term& b) {
  if (a.factors.size() != b.factors.size())
    return a.factors.size() > b.factors.size();
  return std::lexicographical_compare(
      a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
      [](const auto& x, const auto& y) { return x->text < y->text; });
}

Term multiply(const Term& a, const Term& b) {
  Term product{checked_mul(a.coefficient, b.coefficient, kExtentOverflow), {}};
  std::merge(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
             std::back_inserter(product.factors),
             [](const auto& x, const auto& y) { return x->text < y->text; });
  return product;
}

Term scale(Term term, int64_t factor) {
  term.coefficient = checked_mul(term.coefficient, factor, kExtentOverflow);
  return term;
}

bool atom_is_nonnegative(Kind kind, const std::vector<Extent>& operands) {
  switch (kind) {
  case Kind::symbol:
    return true;
  case Kind::min:
    return std::all_of(operands.begin(), operands.end(), provably_nonnegative);
  case Kind::max:
    return std::any_of(operands.begin(), operands.end(), provably_nonnegative);
  default: // a division by a divisor that is not positive gives 0
    return provably_nonnegative(operands[0]);
  }
}

bool is_name(std::string_view name) {
  if (name.empty() || name == "floordiv" || name == "ceildiv" || name == "min" || name == "max" ||
      std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '.' || name[0] == '$')
    return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return (letter < 128 && std::isalnum(letter)) || letter == '_' || letter == '.' ||
           letter == '$';
  });
}

} // namespace

bool provably_nonnegative(const Extent& extent) {
  const Extent::Node& node = Extent::Node::of(extent);
  return node.constant >= 0 &&
         std::all_of(node.terms.begin(), node.terms.end(), [](const Term& term) {
           return term.coefficient > 0 &&
                  std::all_of(term.factors.begin(), term.factors.end(),
                              [](const auto& factor) { return factor->nonnegative; });
         });
}

Extent Extent::Node::sum(std::vector<Term> terms, int64_t constant) {
  std::sort(terms.begin(), terms.end(), comes_before);
  auto node = std::make_shared<Node>();
  node->constant = constant;
  for (Term& term : terms) {
    if (!node->terms.empty() && same_factors(node->terms.back(), term))
      node->terms.back().coefficient =
          checked_add(node->terms.back().coefficient, term.coefficient, kExtentOverflow);
    else
      node->terms.push_back(std::move(term));
  }
  std::erase_if(node->terms, [](const Term& term) { return term.coefficient == 0; });
  int64_t size = 1;
  for (const Term& term : node->terms)
    for (const auto& factor : term.factors) {
      size += factor->size + 1;
      node->depth = std::max(node->depth, factor->depth);
    }
  check_size(size, node->depth);
  node->size = static_cast<int>(size);
  node->text = print_extent(node->terms, constant);
  return Extent(std::shared_ptr<const Node>(std::move(node)));
}

Extent Extent::Node::atom(Kind kind, std::vector<Extent> operands) {
  static constexpr std::string_view names[] = {"", "floordiv", "ceildiv", "min", "max"};
  auto atom = std::make_shared<Atom>();
  atom->kind = kind;
  atom->nonnegative = atom_is_nonnegative(kind, operands);
  std::string list;
  int64_t size = 1;
  for (const Extent& operand : operands) {
    list += (list.empty() ? "" : ", ") + of(operand).text;
    size += of(operand).size;
    atom->depth = std::max(atom->depth, of(operand).depth + 1);
  }
  check_size(size, atom->depth);
  atom->size = static_cast<int>(size);
  atom->text = std::string(names[static_cast<int>(kind)]) + "(" + list + ")";
  atom->operands = std::move(operands);
  return sum({Term{1, {std::move(atom)}}}, 0);
}

/// The normal form of a number; those that most extents are were made before.
static std::shared_ptr<const Extent::Node> node_of_number(int64_t value) {
  using Nodes = std::array<std::shared_ptr<const Extent::Node>, 257>;
  auto make = [](int64_t number) {
    auto node = std::make_shared<Extent::Node>();
    node->constant = number;
    node->text = std::to_string(number);
    return node;
  };
  static const Nodes* const made = [&] {
    auto* nodes = new Nodes;
    for (size_t number = 0; number < nodes->size(); ++number)
      (*nodes)[number] = make(static_cast<int64_t>(number));
    return nodes;
  }();
  const auto place = static_cast<size_t>(value); // huge where the number is negative
  return place < made->size() ? (*made)[place] : make(value);
}

Extent::Extent(int64_t value) : node_(node_of_number(value)) {}

Extent Extent::symbol(std::string_view name) {
  if (!is_name(name))
    fail(ErrorKind::value, "extent-symbol",
         "expected a name for an extent, but got '" + std::string(name) + "'");
  auto atom = std::make_shared<Atom>();
  atom->kind = Kind::symbol;
  atom->text = name;
  return Node::sum({Term{1, {std::move(atom)}}}, 0);
}

std::optional<int64_t> Extent::constant() const {
  return node_->terms.empty() ? std::optional(node_->constant) : std::nullopt;
}

std::optional<std::string> Extent::as_symbol() const {
  const Node& node = *node_;
  if (node.constant != 0 || node.terms.size() != 1 || node.terms[0].coefficient != 1 ||
      node.terms[0].factors.size() != 1 || node.terms[0].factors[0]->kind != Kind::symbol)
    return std::nullopt;
  return node.text;
}

Extent operator+(const Extent& a, const Extent& b) {
  if (a.node_->terms.empty() && b.node_->terms.empty())
    return Extent(checked_add(a.node_->constant, b.node_->constant, kExtentOverflow));
  std::vector<Term> terms = a.node_->terms;
  terms.insert(terms.end(), b.node_->terms.begin(), b.node_->terms.end());
  return Extent::Node::sum(std::move(terms),
                           checked_add(a.node_->constant, b.node_->constant, kExtentOverflow));
}

Extent operator-(const Extent& a, const Extent& b) {
  if (a.node_->terms.empty() && b.node_->terms.empty())
    return Extent(checked_sub(a.node_->constant, b.node_->constant, kExtentOverflow));
  std::vector<Term> terms = a.node_->terms;
  for (const Term& term : b.node_->terms)
    terms.push_back(scale(term, -1));
  return Extent::Node::sum(std::move(terms),
                           checked_sub(a.node_->constant, b.node_->constant, kExtentOverflow));
}

Extent operator*(const Extent& a, const Extent& b) {
  const Extent::Node& left = *a.node_;
  const Extent::Node& right = *b.node_;
  if (left.terms.empty() && right.terms.empty())
    return Extent(checked_mul(left.constant, right.constant, kExtentOverflow));
  check_size(static_cast<int64_t>(left.terms.size()) * static_cast<int64_t>(right.terms.size()), 0);
  std::vector<Term> terms;
  for (const Term& term : left.terms) {
    for (const Term& other : right.terms)
      terms.push_back(multiply(term, other));
    terms.push_back(scale(term, right.constant));
  }
  for (const Term& other : right.terms)
    terms.push_back(scale(other, left.constant));
  return Extent::Node::sum(std::move(terms),
                           checked_mul(left.constant, right.constant, kExtentOverflow));
}

bool operator==(const Extent& a, const Extent& b) {
  return a.node_ == b.node_ || a.node_->text == b.node_->text;
}
bool operator<(const Extent& a, const Extent& b) { return a.node_->text < b.node_->text; }

std::string Extent::to_string() const { return node_->text; }

std::vector<Extent::Step> Extent::steps() const {
  std::vector<Step> steps;
  auto append = [&](const Extent& extent) {
    for (Step& step : extent.steps())
      steps.push_back(std::move(step));
  };
  auto append_atom = [&](const Atom& atom) {
    if (atom.kind == Kind::symbol)
      return steps.push_back({'s', 0, atom.text});
    append(atom.operands[0]);
    for (size_t i = 1; i < atom.operands.size(); ++i) {
      append(atom.operands[i]);
      steps.push_back({" fcmM" [static_cast<int>(atom.kind)], 0, {}});
    }
  };
  for (const Term& term : node_->terms) {
    append_atom(*term.factors[0]);
    for (size_t i = 1; i < term.factors.size(); ++i) {
      append_atom(*term.factors[i]);
      steps.push_back({'*', 0, {}});
    }
    if (term.coefficient != 1) {
      steps.push_back({'k', term.coefficient, {}});
      steps.push_back({'*', 0, {}});
    }
    if (&term != &node_->terms.front())
      steps.push_back({'+', 0, {}});
  }
  if (node_->constant != 0 || node_->terms.empty())
    steps.push_back({'k', node_->constant, {}});
  if (node_->constant != 0 && !node_->terms.empty())
    steps.push_back({'+', 0, {}});
  return steps;
}

std::set<std::string> Extent::symbols() const {
  std::set<std::string> names;
  for (const Step& step : steps())
    if (step.op == 's')
      names.insert(step.symbol);
  return names;
}

int64_t apply_extent_op(char op, int64_t a, int64_t b) {
  switch (op) {
  case '+':
    return checked_add(a, b, kExtentOverflow);
  case '*':
    return checked_mul(a, b, kExtentOverflow);
  case 'f':
    return floor_divide(a, b);
  case 'c':
    return ceil_divide(a, b);
  case 'm':
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

Extent apply_extent_op(char op, const Extent& a, const Extent& b) {
  switch (op) {
  case '+':
    return a + b;
  case '*':
    return a * b;
  case 'm':
    return min(a, b);
  case 'M':
    return max(a, b);
  default:
    if (b.constant().value_or(1) <= 0)
      return 0;
    return op == 'f' ? floordiv(a, b) : ceildiv(a, b);
  }
}

int64_t Extent::evaluate(const std::map<std::string, int64_t>& sizes) const {
  return visit<int64_t>([](int64_t value) { return value; },
                        [&](const std::string& name) {
                          auto found = sizes.find(name);
                          if (found == sizes.end())
                            fail(ErrorKind::value, "extent-unbound",
                                 name.starts_with('_')
                                     ? "expected tensors whose extents are known outside of the "
                                       "body that makes them, but got an extent that only a run "
                                       "of the body knows (" +
                                           name + ")"
                                     : "expected a size for '" + name + "'");
                          return found->second;
                        },
                        [](char op, int64_t a, int64_t b) { return apply_extent_op(op, a, b); });
}

Extent Extent::substitute(const std::map<std::string, Extent>& replacements) const {
  return visit<Extent>(
      [](int64_t value) { return Extent(value); },
      [&](const std::string& name) {
        auto found = replacements.find(name);
        return found == replacements.end() ? symbol(name) : found->second;
      },
      [](char op, const Extent& a, const Extent& b) { return apply_extent_op(op, a, b); });
}

Extent element_count(const Shape& shape) {
  Extent count = 1;
  for (const Extent& extent : shape)
    count = count * extent;
  return count;
}

} // namespace kolam
