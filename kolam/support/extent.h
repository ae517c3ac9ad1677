/// Extents: sizes of dimensions as numbers or expressions over symbols, kept in one normal form.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kolam {

/// An integer expression over named symbols: +, -, *, floordiv, ceildiv, min, max.
///
/// Values are immutable and always in normal form: a sum of integer multiples of products of atoms,
/// where an atom is a symbol or a floordiv, ceildiv, min or max of normal forms that do not
/// simplify. Expressions that are equal by the ring laws, and by the usual identities of the
/// divisions (exact division, a floordiv or ceildiv whose divisor divides every term, nested
/// division by constants, min/max of terms that differ by a constant or of which one is a quotient
/// of the other, commutativity and idempotence of min/max), are the same value and print the same
/// text. Symbols are extents, so they are >= 0; that fact is used by min and max (max(n, 0) is n).
/// Arithmetic on constants is 64-bit and checked: overflow throws Error `[extent-overflow]`.
/// floordiv and ceildiv need a positive divisor
/// (`[extent-divisor]` when the divisor is a constant <= 0); one that is <= 0 only at run time
/// gives 0, and the identities (n*m floordiv m is n) hold where the divisor is positive. An
/// expression of more than a few thousand operations is refused with `[extent-too-large]`. Equal
/// values with a division inside a division's sum may keep two forms: `==` then says no.
class Extent {
public:
  /// The constant 0.
  Extent() : Extent(int64_t{0}) {}
  Extent(int64_t value);
  /// A letter or `_`, then letters, digits, `_`, `.`, `$`; not an operator's name. Else
  /// `[extent-symbol]`.
  static Extent symbol(std::string_view name);

  /// The number, where the expression is one.
  std::optional<int64_t> constant() const;
  bool is_constant() const { return constant().has_value(); }
  /// The symbol's name, where the expression is exactly one symbol.
  std::optional<std::string> as_symbol() const;

  friend Extent operator+(const Extent&, const Extent&);
  friend Extent operator-(const Extent&, const Extent&);
  friend Extent operator*(const Extent&, const Extent&);
  friend Extent floordiv(const Extent&, const Extent&);
  friend Extent ceildiv(const Extent&, const Extent&);
  friend Extent min(const Extent&, const Extent&);
  friend Extent max(const Extent&, const Extent&);
  friend bool operator==(const Extent&, const Extent&);
  /// A total order (by text), for use as a key.
  friend bool operator<(const Extent&, const Extent&);

  /// `2*m + n - 1`, `ceildiv(n, 2)`, `min(m, n)`, `m*n`. Terms in a fixed order: higher degree
  /// first, then by name, positive before negative (`n - m`), constant last.
  std::string to_string() const;
  /// Reads what `to_string` writes, and any expression of that grammar with parentheses; nullopt
  /// when malformed (depth limited, never crashes).
  static std::optional<Extent> parse(std::string_view text);

  std::set<std::string> symbols() const;
  /// The value with every symbol replaced; throws `[extent-unbound]` where one is missing.
  int64_t evaluate(const std::map<std::string, int64_t>& sizes) const;
  Extent substitute(const std::map<std::string, Extent>& replacements) const;

  /// A visitor for code generators: calls back in evaluation order. `V` is what the caller computes
  /// with. The callbacks build a constant, a symbol and the operators ('+', '*', 'f' floordiv, 'c'
  /// ceildiv, 'm' min, 'M' max).
  template <class V>
  V visit(const std::function<V(int64_t)>& constant,
          const std::function<V(const std::string&)>& symbol,
          const std::function<V(char, V, V)>& binary) const;

  /// One step of the expression in postfix order: push a constant ('k') or a symbol ('s'), or
  /// replace the top two values a, b by `a op b`, where op is as in `visit`.
  struct Step {
    char op;
    int64_t value = 0;
    std::string symbol;
  };
  std::vector<Step> steps() const;

  struct Node; // a normal form; defined in extent_node.h
private:
  explicit Extent(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

template <class V>
V Extent::visit(const std::function<V(int64_t)>& constant,
                const std::function<V(const std::string&)>& symbol,
                const std::function<V(char, V, V)>& binary) const {
  std::vector<V> stack;
  for (const Step& step : steps()) {
    if (step.op == 'k') {
      stack.push_back(constant(step.value));
    } else if (step.op == 's') {
      stack.push_back(symbol(step.symbol));
    } else {
      V right = std::move(stack.back());
      stack.pop_back();
      stack.back() = binary(step.op, std::move(stack.back()), std::move(right));
    }
  }
  return std::move(stack.back());
}

/// `a op b` for an operator of Extent::Step; throws `[extent-overflow]`.
int64_t apply_extent_op(char op, int64_t a, int64_t b);
/// The same of expressions; division by a number that is not above 0 gives 0, as it does when run.
Extent apply_extent_op(char op, const Extent& a, const Extent& b);

using Shape = std::vector<Extent>;

/// The product; 1 for rank 0.
Extent element_count(const Shape& shape);
/// `[n + 1, 4]`.
std::string to_string(const Shape& shape);

} // namespace kolam
