// Writes down a machine.
#include "kolam/support/machine.h"

#include <sstream>

namespace kolam {
namespace {

std::ostream& operator<<(std::ostream& out, const Caches& caches) {
  const auto& [line, first, second, last, ahead, ahead_rows, ahead_lines, streams] = caches;
  return out << line << ' ' << first << ' ' << second << ' ' << last << ' ' << ahead << ' '
             << ahead_rows << ' ' << ahead_lines << ' ' << streams;
}

std::ostream& operator<<(std::ostream& out, const Prices& prices) {
  const auto& [near_byte, far_byte, memory_byte, nest, without_lanes, hidden, spread_load, shared,
               packed, sum, kept, placed, step, chain, interleaving, turned, lanes_in_memory,
               one_by_one, halves, growth] = prices;
  for (double price :
       {near_byte, far_byte, memory_byte, nest, without_lanes, hidden, spread_load, shared, packed,
        sum, kept, placed, step, chain, interleaving, turned, lanes_in_memory, one_by_one, halves})
    out << price << ' ';
  return out << growth;
}

} // namespace

std::string to_string(const Machine& machine) {
  const auto& [has_fma, vector_bytes, has_bf16_dots, has_i8_dots, has_gathers, caches, prices] =
      machine;
  std::ostringstream out;
  out << (has_fma ? "fma " : "") << (has_bf16_dots ? "bf16_dots " : "")
      << (has_i8_dots ? "i8_dots " : "") << (has_gathers ? "gathers " : "") << vector_bytes << ' '
      << caches << ' ' << prices;
  return out.str();
}

} // namespace kolam
