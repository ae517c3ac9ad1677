/// Choices: equations between programs of which either side may be the better one, for plans.
#pragma once

#include "kolam/frontend/array/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kolam {

/// A row of the table of choices.
struct ChoiceRow {
  std::string name;
  std::string equation;    ///< left = right
  std::string condition;   ///< on the left side
  std::string parameters;  ///< each with its meaning
  bool is_exact = true;    ///< keeps every bit; else sums and roundings come in another order
  bool is_searched = true; ///< `plan` tries it; others do what it does by cutting
};

/// The table: what `possible_choices`, `rewritten` and the option `choices` of `plan` name.
std::vector<ChoiceRow> choice_rows();

/// A choice at a place of a program.
struct PossibleChoice {
  std::string text; ///< as `rewritten` and `plan` take it: name, the op's number, parameters
  std::string what; ///< the op, and the user's line
  bool is_exact = true;
};

/// The places of a program where choices apply, with parameters for `workers` workers: of the rows
/// in `names`, or of those that `plan` tries. Other parameters may be given by hand. With `allow`
/// "exact" those that keep every bit, else also those that reassociate. Throws `[plan-choice]` for
/// other names, `[plan-option]`, and `[not-cut]` as `plan` does.
std::vector<PossibleChoice> possible_choices(const Program& program,
                                             const std::vector<std::string>& names = {},
                                             int64_t workers = 2,
                                             const std::string& allow = "exact");

/// The program after choices, one after the other: each a text of `possible_choices`, where numbers
/// count the ops of the program as it then is, or a name alone, which applies wherever it can.
///
///     rewritten(p, {"associate_products 1 factor=1 side=0"}, 2, "reassociate")
///     (x y) z   =   x (y z)
///
/// Throws `[plan-choice]` where one does not apply, or keeps less than `allow` says; and as
/// `possible_choices` does.
Program rewritten(const Program& program, const std::vector<std::string>& choices,
                  int64_t workers = 2, const std::string& allow = "exact");

} // namespace kolam
