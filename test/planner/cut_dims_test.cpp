// Along which indices loops, branches, kernels and attention are cut.
#include "kolam/driver/parse.h"
#include "kolam/ir/facts.h"
#include "kolam/transform/cut.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kolam::planner {
namespace {

std::string program_of_name(const std::string& name) {
  std::ifstream in(KOLAM_PROGRAMS);
  std::string text, line;
  while (std::getline(in, line) && line != "// " + name)
    ;
  while (std::getline(in, line) && !line.starts_with("// "))
    text += line + "\n";
  return text;
}

/// Of the first op with regions, or attention: the extents of the dims that are cut; else why it
/// runs whole.
std::string cut_dims_of(const std::string& name) {
  driver::Module program = driver::parse(program_of_name(name), name).program;
  transform::Cuts cuts;
  for (mlir::Operation& op : program.main().getBody().front().without_terminator()) {
    if (op.getNumRegions() == 0)
      continue;
    if (const std::string why = cuts.why_whole(&op); !why.empty())
      return why;
    std::string text;
    const space::Signature& signature = cuts.signature(&op);
    for (size_t dim = 0; dim < signature.dims.size(); ++dim)
      if (cuts.cut_dims(&op)[dim])
        text += (text.empty() ? "" : " ") + signature.dims[dim].extent.to_string();
    return text;
  }
  return "no op with a region";
}

struct Case {
  const char *program, *dims;
};

class CutDims : public testing::TestWithParam<Case> {};

TEST_P(CutDims, OfAProgram) { EXPECT_EQ(cut_dims_of(GetParam().program), GetParam().dims); }

constexpr const char* kNothingPasses = "no index passes through its bodies to all that it gives";
INSTANTIATE_TEST_SUITE_P(
    Loops, CutDims,
    testing::Values(Case{"rnn", "6"}, Case{"rnnlast", "6"}, Case{"lstm", "6"},
                    Case{"whilecount", "8"}, Case{"whiledata", kNothingPasses},
                    Case{"whileboth", kNothingPasses}, // its counter is a result, too
                    Case{"forsoft", "6"}, Case{"fornested", "6"}, Case{"forstencil", "6"},
                    Case{"fortransposed", kNothingPasses}, Case{"forrandom", "6 5"},
                    Case{"cond", "6"}, Case{"switch", kNothingPasses}, // one goes along each dim
                    Case{"twoloops", "6"}, Case{"checkloop", "8 5"}));
INSTANTIATE_TEST_SUITE_P(Kernels, CutDims,
                         testing::Values(Case{"kmatmul", "3 2"}, Case{"kmatmulacc", "3 2"},
                                         Case{"kragged", "4"}, Case{"kreversed", "4"},
                                         Case{"kwindow", "4"}, Case{"kmodulo", "8"},
                                         Case{"kalias", "4"}, Case{"ksumrows", "3"},
                                         Case{"kprefetch", "4"}, Case{"ktwo", "4"}));
INSTANTIATE_TEST_SUITE_P(Attention, CutDims,
                         testing::Values(Case{"attcausal", "2 4 300"}, Case{"attwindow", "1 2 300"},
                                         Case{"attfunction", "2 2 2 60"}));

} // namespace
} // namespace kolam::planner
