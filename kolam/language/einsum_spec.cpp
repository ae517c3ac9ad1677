// Reads NumPy's einsum subscripts.
#include "kolam/language/einsum_spec.h"

#include <algorithm>
#include <map>
#include <optional>

namespace kolam::language {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Reader {
public:
  Reader(std::string_view text, const Values& operands) : whole_(text), operands_(operands) {
    for (char c : text)
      if (c != ' ')
        text_.push_back(c);
  }

  EinsumSpec read() {
    size_t arrow = text_.find("->");
    std::string inputs = text_.substr(0, arrow);
    std::vector<Term> terms;
    for (size_t start = 0; start <= inputs.size();) {
      size_t comma = std::min(inputs.find(',', start), inputs.size());
      terms.push_back(read_term(inputs.substr(start, comma - start)));
      start = comma + 1;
    }
    if (terms.size() != operands_.size())
      fail_spec("terms for " + std::to_string(operands_.size()) + " operands",
                std::to_string(terms.size()));
    EinsumSpec spec;
    for (size_t operand = 0; operand < terms.size(); ++operand)
      spec.operands.push_back(write_out(terms[operand], operand));
    spec.result = arrow == std::string::npos ? implied_result(spec.operands)
                                             : read_result(text_.substr(arrow + 2), spec.operands);
    return spec;
  }

private:
  /// Letters before and after an ellipsis.
  struct Term {
    std::string before, after;
    bool ellipsis = false;
  };

  [[noreturn]] void fail_spec(const std::string& expected, const std::string& actual,
                              const std::string& instead = "") const {
    fail(ErrorKind::value, "bad-einsum",
         "subscripts \"" + std::string(whole_) + "\": expected " + expected + ", but got " +
             actual + instead);
  }

  Term read_term(std::string_view text) const {
    Term term;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text.substr(i, 3) == "..." && !term.ellipsis) {
        term.ellipsis = true;
        i += 2;
      } else if (is_letter(text[i])) {
        (term.ellipsis ? term.after : term.before).push_back(text[i]);
      } else {
        fail_spec("letters, commas, one \"->\" and one \"...\" a term",
                  "'" + std::string(1, text[i]) + "'");
      }
    }
    return term;
  }

  Labels write_out(const Term& term, size_t operand) {
    auto letters = static_cast<int64_t>(term.before.size() + term.after.size());
    int64_t rank = ir::rank_of(operands_[operand]);
    if (term.ellipsis ? letters > rank : letters != rank)
      fail_spec((term.ellipsis ? "at most " : "") + std::to_string(rank) + " letters for operand " +
                    std::to_string(operand) + ", " + describe(operands_[operand]),
                std::to_string(letters),
                letters < rank ? "; write \"..." + term.before + "\" for more dims in front" : "");
    int64_t covered = rank - letters;
    batch_ = std::max(batch_, covered);
    return join(term, covered);
  }

  static Labels join(const Term& term, int64_t covered) {
    Labels labels(term.before.begin(), term.before.end());
    Labels rest = batch_labels(covered, term.after);
    labels.insert(labels.end(), rest.begin(), rest.end());
    return labels;
  }

  Labels implied_result(const std::vector<Labels>& operands) const {
    std::map<int, int> uses;
    for (const Labels& labels : operands)
      for (int label : labels)
        ++uses[label];
    Labels result = batch_labels(batch_, "");
    for (auto [label, count] : uses)
      if (label < kBatchLabel && count == 1)
        result.push_back(label);
    return result;
  }

  Labels read_result(std::string_view text, const std::vector<Labels>& operands) const {
    Term term = read_term(text);
    if (batch_ > 0 && !term.ellipsis)
      fail_spec("\"...\" in the result as in the operands", "none",
                "; write \"->..." + term.before + "\"");
    std::string letters = term.before + term.after;
    for (char letter : letters) {
      if (std::count(letters.begin(), letters.end(), letter) > 1)
        fail_spec("every letter of the result once", std::string("'") + letter + "' twice");
      auto has_letter = [&](const Labels& labels) { return llvm::is_contained(labels, letter); };
      if (std::none_of(operands.begin(), operands.end(), has_letter))
        fail_spec("letters of the operands in the result", std::string("'") + letter + "'");
    }
    return join(term, batch_);
  }

  std::string_view whole_;
  const Values& operands_;
  std::string text_;  // without blanks
  int64_t batch_ = 0; // dims of the longest ellipsis
};

} // namespace

EinsumSpec parse_einsum(std::string_view text, const Values& operands) {
  return Reader(text, operands).read();
}

} // namespace kolam::language
