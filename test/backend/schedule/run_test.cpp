// Schedules that compute their nest, and damaged ones that do not.
#include "kolam/backend/schedule/run.h"

#include "kolam/driver/parse.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/schedule_check.h"
#include "kolam/nest/schedule_choice.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kolam::backend::schedule {
namespace {

const Machine kMachine{.has_fma = true, .vector_bytes = 32};

/// The nests of a program, with arrays of distinct numbers as inputs.
struct Formed {
  explicit Formed(const std::string& text)
      : program(driver::parse(text, "text.mlir").program), nests(nest::form_nests(program.main())) {
  }

  const nest::Nest& nest(size_t number = 0) const { return nests.nests[number]; }
  std::vector<Array> inputs(size_t number = 0) const {
    std::vector<Array> arrays;
    for (mlir::Value value : nest(number).inputs) {
      std::vector<int64_t> shape;
      for (const Extent& extent : ir::shape_of(value))
        shape.push_back(extent.evaluate(sizes));
      Array array = Array::zeros(ir::dtype_of(value), shape);
      auto* data = static_cast<float*>(array.mutable_data());
      for (int64_t i = 0; i < array.size(); ++i)
        data[i] = static_cast<float>(i % 17) - 5;
      arrays.push_back(array);
    }
    return arrays;
  }
  ScheduleRun run(const nest::Schedule& schedule, int threads = 3, size_t number = 0) const {
    return run_schedule(schedule, nest(number), sizes, inputs(number), threads);
  }

  std::map<std::string, int64_t> sizes{{"n", 37}};
  driver::Module program;
  nest::NestList nests;
};

std::string elementwise(const std::string& shape) {
  std::string type = "tensor<" + shape + "xf32>";
  return "func.func @main(%x: " + type + ") -> " + type +
         " {\n  %e = kolam.elementwise \"exp\" %x : (" + type + ") -> " + type +
         "\n  %r = kolam.elementwise \"add\" %e, %x : (" + type + ", " + type + ") -> " + type +
         "\n  return %r : " + type + "\n}\n";
}

/// The sum of each row, taken from the row's elements: exp is kept.
const std::string kNormalized = R"(
func.func @main(%x: tensor<12x37xf32>) -> tensor<12x37xf32> {
  %e = kolam.elementwise "exp" %x : (tensor<12x37xf32>) -> tensor<12x37xf32>
  %s = kolam.reduce "add" %e dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<12x37xf32>) -> tensor<12xf32>
  %b = kolam.broadcast %s [0] : tensor<12xf32> -> tensor<12x37xf32>
  %r = kolam.elementwise "divide" %e, %b : (tensor<12x37xf32>, tensor<12x37xf32>) -> tensor<12x37xf32>
  return %r : tensor<12x37xf32>
}
)";

/// The sum of each column, added to the same columns.
const std::string kColumns = R"(
func.func @main(%x: tensor<5x300xf32>, %r: tensor<300xf32>) -> tensor<300xf32> {
  %s = kolam.reduce "add" %x dims [0] commutative true <"chunk<64>"> : (tensor<5x300xf32>) -> tensor<300xf32>
  %a = kolam.elementwise "add" %s, %r : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  return %a : tensor<300xf32>
}
)";

const std::string kTransposed = R"(
func.func @main(%x: tensor<40x60xf32>) -> tensor<60x40xf32> {
  %t = kolam.transpose %x [1, 0] : tensor<40x60xf32> -> tensor<60x40xf32>
  %e = kolam.elementwise "exp" %t : (tensor<60x40xf32>) -> tensor<60x40xf32>
  return %e : tensor<60x40xf32>
}
)";

const std::string kProduct = R"(
func.func @main(%x: tensor<70x20xf32>, %y: tensor<20x90xf32>) -> tensor<70x90xf32> {
  %r = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<70x20xf32>, tensor<20x90xf32>) -> tensor<70x90xf32>
  return %r : tensor<70x90xf32>
}
)";

std::string product(const std::string& rows, const std::string& summed, const std::string& columns,
                    const std::string& rest = "") {
  auto of = [&](const std::string& dims) { return "tensor<" + dims + "xf32>"; };
  std::string x = of(rows + "x" + summed), y = of(summed + "x" + columns),
              r = of(rows + "x" + columns);
  return "func.func @main(%x: " + x + ", %y: " + y + ") -> " + r +
         " {\n  %p = kolam.contract \"ij,jk->ik\" %x, %y <\"chain<512>\"> : (" + x + ", " + y +
         ") -> " + r + "\n  %r = kolam.elementwise \"exp\" %p : (" + r + ") -> " + r +
         "\n  return %r : " + r + "\n}\n";
}

/// Few rows and many products, whose sums wait in a tile; and as many rows as the run has.
const std::string kParts = product("3", "1100", "1000");

/// Columns that lie across.
const std::string kPacked = R"(
func.func @main(%x: tensor<70x20xf32>, %y: tensor<90x20xf32>) -> tensor<70x90xf32> {
  %r = kolam.contract "ij,kj->ik" %x, %y <"chain<512>"> : (tensor<70x20xf32>, tensor<90x20xf32>) -> tensor<70x90xf32>
  return %r : tensor<70x90xf32>
}
)";
/// As many rows as the run has.
const std::string kSomeRows = R"(
func.func @main(%x: tensor<?x600xf32, #kolam.extents<["n", "600"]>>, %y: tensor<600x100xf32>) -> tensor<?x100xf32, #kolam.extents<["n", "100"]>> {
  %r = kolam.contract "ij,jk->ik" %x, %y <"chain<512>"> : (tensor<?x600xf32, #kolam.extents<["n", "600"]>>, tensor<600x100xf32>) -> tensor<?x100xf32, #kolam.extents<["n", "100"]>>
  return %r : tensor<?x100xf32, #kolam.extents<["n", "100"]>>
}
)";
/// Data chooses the columns of each row.
const std::string kRuns = R"(
func.func @main(%h: tensor<40x60xf32>, %w: tensor<5x60x192xf32>, %g: tensor<40x1xi64>) -> tensor<40x192xf32> {
  %0 = kolam.gather %w, %g "clip" dims [0] lengths [1] batched 0 : (tensor<5x60x192xf32>, tensor<40x1xi64>) -> tensor<40x1x60x192xf32>
  %1 = kolam.squeeze %0 [1] : tensor<40x1x60x192xf32> -> tensor<40x60x192xf32>
  %2 = kolam.contract "bj,bjk->bk" %h, %1 <"chain<512>"> : (tensor<40x60xf32>, tensor<40x60x192xf32>) -> tensor<40x192xf32>
  return %2 : tensor<40x192xf32>
}
)";

const std::vector<std::string> kPrograms{elementwise("40x1000"),
                                         elementwise("7"),
                                         elementwise("5x3x9"),
                                         kNormalized,
                                         kColumns,
                                         kTransposed,
                                         kProduct,
                                         kParts,
                                         kSomeRows,
                                         product("70", "600", "10")};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

TEST(RunSchedule, ComputesEveryElementOnceByEveryScheduleThatMayBeTried) {
  for (const std::string& text : kPrograms) {
    Formed formed(text);
    for (size_t number = 0; number < formed.nests.nests.size(); ++number)
      for (const nest::Schedule& schedule : nest::schedules_for(formed.nest(number), kMachine))
        for (int threads : {1, 3}) {
          ScheduleRun run = formed.run(schedule, threads, number);
          EXPECT_EQ(joined(run.faults), "") << text << nest::to_string(schedule);
          EXPECT_TRUE(nest::check_schedule(schedule, formed.nest(number), kMachine).empty())
              << nest::check_schedule(schedule, formed.nest(number), kMachine)[0].where << ": "
              << nest::check_schedule(schedule, formed.nest(number), kMachine)[0].reason << "\n"
              << nest::to_string(schedule);
        }
  }
}

TEST(RunSchedule, CountsWhatIsComputed) {
  Formed formed(kNormalized);
  ScheduleRun run = formed.run(nest::choose_schedule(formed.nest(), kMachine));
  // exp is kept by rows where that is worth its memory, else computed twice.
  EXPECT_EQ(run.evaluations.at("y"), 12 * 37);
  EXPECT_EQ(run.evaluations.size(), 4u);
}

/// The schedule that the rules choose, as text, with one part replaced.
struct Damage {
  const char* what;
  const std::string& program;
  std::string part, replacement;
};

const std::string kMap = elementwise("40x1000"), kShort = elementwise("5x3x9");
const Damage kDamages[] = {
    {"an element twice", kMap, "y with exp1 by elements lanes 8\n",
     "y with exp1 by elements lanes 8\n  y with exp1 by elements lanes 8\n"},
    {"never", kMap, "y with exp1 by elements lanes 8", "exp1 by elements lanes 8"},
    {"the rest never", kMap, " rest peeled", ""},
    {"a step beyond its block", kMap, "by 16 rest peeled", "by 65536 rest peeled"},
    {"a step of nothing", kMap, "by 16 rest peeled", "by 0 rest peeled"},
    {"a step of no fixed size", kMap, "by 16 rest peeled", "by n rest peeled"},
    {"lanes that are no power of two", kMap, "lanes 8", "lanes 6"},
    {"more lanes than registers", kMap, "lanes 8", "lanes 4096"},
    {"lanes that do not fit the loop", kMap, "lanes 8", "lanes 16"},
    {"units that threads do not share", kMap, "by 1000 parallel", "by 10 parallel"},
    {"no parallel loop", kMap, " parallel", ""},
    {"two parallel loops", kMap, "by 16 rest peeled", "by 16 parallel rest peeled"},
    {"unrolled without a fixed length", kMap,
     "by 1000 parallel\n  for ij1 in ij0 by 16 rest peeled",
     "by 1000 parallel\n  for ij1 in ij0 by 16 unrolled"},
    {"too many copies", kMap, "by 16 rest peeled", "by 8000 rest peeled"},
    {"too few elements of a dim", kMap, "ij 40000", "ij 39000"},
    {"a dim that is not there", kMap, "dims ij 40000", "dims ij 40000, k 4"},
    {"an op that is not there", kMap, "ops y exp1", "ops y exp1 sin2"},
    {"ops by another name", kMap, "exp1", "log1"},
    {"an op that nobody computes", kMap, "y with exp1", "y"},
    {"an op that is not read", kMap, "y with exp1", "y with exp1 y"},
    {"memory of no parameter", kMap, "dims ij 40000\n", "dims ij 40000\nahead 9 rows 0\n"},
    {"rows that the value does not have", kMap, "dims ij 40000\n",
     "dims ij 40000\nahead 1 rows 5\n"},
    {"products that are none", kMap, "by elements lanes 8", "by products lanes 8"},
    {"tiles of what lies in order", kMap, "by elements lanes 8", "by tiles lanes 8"},
    {"stores of single elements past the caches", kShort, "by elements", "by elements past caches"},
    {"a row that is read before it is stored", kNormalized,
     "reduce2 with exp3 by reduction\n    y with broadcast1 by elements lanes 8",
     "y with broadcast1 by elements lanes 8\n    reduce2 with exp3 by reduction"},
    {"a row that is stored nowhere", kNormalized, "    store exp3 37 in row\n", ""},
    {"a row that is too short", kNormalized, "store exp3 37", "store exp3 36"},
    {"a row that is too large for the stack", kNormalized, "store exp3 37", "store exp3 370000"},
    {"a row in registers", kNormalized, "store exp3 37 in row", "store exp3 37 in registers"},
    {"a reduction in front of its loop", kNormalized,
     "for i1 in i0\n    store exp3 37 in row\n    reduce2 with exp3 by reduction\n",
     "store exp3 37 in row\n  reduce2 with exp3 by reduction\n  for i1 in i0\n"},
    {"a reduction that is never computed", kNormalized, "    reduce2 with exp3 by reduction\n", ""},
    {"a reduction that is split", kNormalized, "reduce2 with exp3 by reduction",
     "reduce2 with exp3 by rows lanes 8"},
    {"a loop that is missing", kNormalized, "  for i1 in i0\n    store", "  store"},
    {"another dim for threads", kNormalized, "for i0 in i parallel", "for j0 in j parallel"},
    {"columns without their block", kColumns, "  for i1 in i0 by 2048 rest mask\n", ""},
    {"columns with too little room", kColumns, "store reduce1 2048", "store reduce1 100"},
    {"columns in registers", kColumns, "2048 in row", "2048 in registers"},
    {"columns that nobody stores", kColumns, "    store reduce1 2048 in row\n", ""},
    {"columns one by one", kColumns, "reduce1 by rows", "reduce1 by reduction"},
    {"tiles of other height", kTransposed, "in i0 by 8", "in i0 by 4"},
    {"tiles of other width", kTransposed, "lanes 8", "lanes 4"},
    {"lanes masked along another dim", kTransposed, "by 8 rest peeled", "by 8 rest mask"},
    {"tiles beyond the registers", kProduct, "in i0 by 2", "in i0 by 40"},
    {"tiles that do not divide a unit", kProduct, "in i0 by 2", "in i0 by 5"},
    {"units of another size", kProduct, "by 96 parallel", "by 50 parallel"},
    {"sums split off their chunks", kParts, "by 512", "by 500"},
    {"parts of sums in front of their chunk", kParts, "in k0 by 32", "in k by 32"},
    {"sums that nobody keeps", kParts, "store contract1", "store y"},
    {"more sums than there is memory for", kParts, "store contract1 ", "store contract1 9"},
    {"sums that are stored before they are complete", kParts, "by 512", "by 1024"},
    {"columns behind the panels", kParts, " rest next", ""},
    {"columns that no loop goes on with", kParts, "rest next", "rest peeled"},
    {"a condition of no product", kMap, "  for ij1", "  when ij0 up to 5\n  for ij1"},
    {"columns that are not packed", kPacked, "      y by packing lanes 8\n", ""},
    {"panels of no whole vectors", kProduct, "in j0 by 24", "in j0 by 20"},
    {"rows behind the tiles", kParts, "for i0 in i by 3", "for i0 in i by 2"},
    {"no rows at all", kParts, "for i0 in i by 3", "for i0 in i by 0"},
    {"sums that are computed twice", kParts, "          for i0 in i by 3\n",
     "          for i0 in i by 3\n            contract1 by products lanes 8\n"},
    {"products behind the parts", kParts, "in k0 by 32 rest peeled", "in k0 by 32"},
    {"columns of groups that are no units", kParts, "in j0 by 2688", "in j0 by 2600"},
    {"a number of rows that nothing computes", kSomeRows, "when i over 96", "when i over 100"},
    {"rows for which no tile has room", kSomeRows, "when i up to 96", "when i up to 97"},
    {"rows behind tiles that only the run knows", kSomeRows, "rest fewer", "rest peeled"},
    {"runs of nothing", kProduct, "in i by 96 parallel rest mask", "in i runs"},
    {"rows of different columns as one matrix", kRuns, " runs", ""},
    {"threads that share units in another order", kRuns, "for i0 in i by 96 parallel",
     "for i0 in i by 48 parallel"},
    {"sums in a row", kParts, " in tile", " in row"},
};

TEST(RunSchedule, DamageIsFoundByTheRulesAndMuchOfItByRunning) {
  int by_text = 0, by_running = 0;
  for (const Damage& damage : kDamages) {
    Formed formed(damage.program);
    std::string text = nest::to_string(nest::choose_schedule(formed.nest(), kMachine));
    size_t at = text.find(damage.part);
    ASSERT_NE(at, std::string::npos) << damage.what << ": '" << damage.part << "' is not in\n"
                                     << text;
    text = text.substr(0, at) + damage.replacement + text.substr(at + damage.part.size());
    try {
      nest::Schedule schedule = nest::parse_schedule(text);
      EXPECT_FALSE(nest::check_schedule(schedule, formed.nest(), kMachine).empty())
          << damage.what << ":\n"
          << text;
      EXPECT_THROW(nest::require_schedule(schedule, formed.nest(), kMachine), Error);
      by_running += !formed.run(schedule).faults.empty();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("[bad-schedule]"), std::string::npos)
          << error.what();
      ++by_text;
    }
  }
  EXPECT_LT(by_text, 8);
  EXPECT_GE(by_running, 12) << "what is computed twice or never, or read too early, shows";
}

} // namespace
} // namespace kolam::backend::schedule
