// Which ops have a rule for many instances, what is refused, and in which words.
#include "batch_cases.h"
#include "batch_control_cases.h"
#include "batch_reduction_cases.h"
#include "batched_program.h"

namespace kolam::transform {
namespace {

using batch_cases::Case;

template <class... Ops> std::set<std::string> names() {
  return {std::string(Ops::getOperationName())...};
}

void add_names(llvm::ArrayRef<Case> cases, std::set<std::string>& names) {
  for (const Case& one : cases) {
    std::string text = one.op, name = text.substr(0, text.find_first_of(" \n"));
    names.insert(name);
  }
}

TEST(BatchOp, IsTestedForEveryOp) {
  auto all = names<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
      >();
  std::set<std::string> tested = {
      "kolam.iter_index",  // in bodies of zip_map_reduce
      "kolam.opaque_call", // refused
      "kolam.yield",       // part of its region
      // lists leave the program before
      "kolam.access",
      "kolam.flatten",
      "kolam.join",
      "kolam.list_filter",
      "kolam.list_index",
      "kolam.list_length",
      "kolam.list_map",
      "kolam.list_positions",
      "kolam.list_reduce",
      "kolam.list_scan",
      "kolam.pack",
      "kolam.unpack",
      // made where lists leave it
      "kolam.segment_ids",
      "kolam.segment_reduce",
      // kernels leave the program before; test/python/kernels_test.py batches calls
      "kolam.kernel_call",
      "kolam.ref_alloc",
      "kolam.ref_bitcast",
      "kolam.ref_gather",
      "kolam.ref_read",
      "kolam.ref_reshape",
      "kolam.ref_select",
      "kolam.ref_slice",
      "kolam.ref_transpose",
      "kolam.ref_update",
      "kolam.ref_write",
      "kolam.composite",   // test/python/derive_custom_test.py: under vmap
      "kolam.bind_extent", // in kSizesOfTurns
      "kolam.empty",       // in for_fills
  };
  for (llvm::ArrayRef<Case> cases :
       {llvm::ArrayRef<Case>(batch_cases::kValues), llvm::ArrayRef<Case>(batch_cases::kShape),
        llvm::ArrayRef<Case>(batch_cases::kPlaces), llvm::ArrayRef<Case>(batch_cases::kProducts),
        llvm::ArrayRef<Case>(batch_cases::kAttention),
        llvm::ArrayRef<Case>(batch_cases::kReductions),
        llvm::ArrayRef<Case>(batch_cases::kPatterns), llvm::ArrayRef<Case>(batch_cases::kLoops),
        llvm::ArrayRef<Case>(batch_cases::kBranches)})
    add_names(cases, tested);
  for (const ir::random_ops::RandomOp& one : ir::random_ops::kRandomOps)
    tested.insert("kolam." + std::string(one.name));
  for (const std::string& name : all)
    EXPECT_TRUE(tested.contains(name)) << name << " needs a case in test/transform";
}

/// Why the op can't be batched for its operands of each instance.
std::string refusal(const Case& one, EachFlags each, const Extent& count) {
  Subject subject = parse_subject(batch_cases::program(one));
  each.push_back(false);
  std::string why;
  EXPECT_FALSE(batched(subject, each, count, &why));
  return why;
}

constexpr const char* kHost = "a function of the host is called once for each instance";

TEST(BatchOp, RefusesFunctionsOfTheHost) {
  Case alone{"", "f32[2]", "f32[2]", R"(kolam.opaque_call "f"(%a0) : (f32[2]) -> f32[2])"};
  EXPECT_EQ(refusal(alone, {true}, 3), kHost);
  EXPECT_EQ(refusal(alone, {false}, 3), kHost);
}

TEST(BatchOp, RefusesFunctionsOfTheHostInBodies) {
  Case in_loop{"", "i32[], i32[], f32[2]", "f32[2]",
               R"(kolam.for from %a0 to %a1 carry(%a2) : (i32[], i32[], f32[2]) -> f32[2] {
  ^bb0(%i: i32[], %s: f32[2]):
    %n = kolam.elementwise "negative" %s : (f32[2]) -> f32[2]
    %t = kolam.opaque_call "f"(%n) : (f32[2]) -> f32[2]
    kolam.yield %t : f32[2]
  })"};
  EXPECT_EQ(refusal(in_loop, {false, false, true}, 3), kHost);
  EXPECT_EQ(refusal(in_loop, {true, true, false}, 3), kHost);
  EXPECT_EQ(refusal(in_loop, {false, false, false}, 3), kHost);
}

TEST(BatchOp, RefusesOpsWithoutARule) {
  Subject subject = parse_subject(batch_cases::program(batch_cases::kBranches[0]));
  mlir::Operation* yield = subject.op->getRegion(0).front().getTerminator();
  language::Builder b(subject.op->getLoc(), subject.op);
  std::vector<Batched> operands;
  for (mlir::Value operand : subject.program.main().getArguments().drop_front())
    operands.push_back({operand, true});
  std::string why;
  EXPECT_FALSE(batch_op(b, yield, operands, 3, &why));
  EXPECT_EQ(why, "yield has no rule for many instances");
}

TEST(BatchOp, RefusesSizesThatDiffer) {
  EXPECT_EQ(refusal(batch_cases::kSizesOfTurns, {true, false, false}, 3),
            "its extents differ from instance to instance");
}

TEST(BatchOp, RefusesMoreCellsThanCanBeCounted) {
  Case huge{"", "f32[]", "f32[1099511627776]",
            "kolam.broadcast %a0 [] : f32[] -> f32[1099511627776]"};
  EXPECT_EQ(refusal(huge, {true}, int64_t{1} << 40),
            "expected a tensor whose bytes can be counted in 63 bits, but got "
            "float32[1099511627776, 1099511627776]");
}

TEST(BatchOp, RefusesContractionsWithoutALetterLeft) {
  std::string lower = "abcdefghijklmnopqrstuvwxyz", upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", ones;
  for (int dim = 0; dim < 26; ++dim)
    ones += dim ? ", 1" : "1";
  std::string type = "f32[" + ones + "]", operands = type + ", " + type;
  std::string text = "kolam.contract \"" + lower + "," + upper +
                     R"(->" %a0, %a1 <"chain<8192>"> : ()" + operands + ") -> f32[]";
  EXPECT_EQ(refusal({"", operands.c_str(), "f32[]", text.c_str()}, {true, false}, 3),
            "its indices take every letter");
}

/// A while loop in the condition of a while loop, and so on.
std::string nested_conditions(int depth) {
  auto names = [](int level) {
    return std::pair("%i" + std::to_string(level), "%c" + std::to_string(level));
  };
  std::string text;
  for (int level = depth; level-- > 0;) {
    auto [i, c] = names(level);
    std::string compared = level + 1 < depth ? "%w" + std::to_string(level) : i;
    std::string holds = "%h" + std::to_string(level), given = "^bb0(" + i + ": i32[], " + c;
    std::string inner = level + 1 < depth ? compared + " = " + text : "";
    auto [start, bound] =
        level > 0 ? names(level - 1) : std::pair<std::string, std::string>("%a0", "%a1");
    text = "kolam.while carry(" + start + ") captures(" + bound +
           ") : (i32[], i32[]) -> i32[] {\n" + given + ": i32[]):\n" + inner + "\n" + holds +
           " = kolam.elementwise \"less\" " + compared + ", " + c +
           " : (i32[], i32[]) -> i1[]\nkolam.yield " + holds + " : i1[]\n} do {\n^bb0(" + i +
           "b: i32[], " + c + "b: i32[]):\nkolam.yield " + c + "b : i32[]\n}";
  }
  return text;
}

TEST(BatchOp, RefusesLoopsWhoseConditionsNestDeeply) {
  std::string text = nested_conditions(40);
  EXPECT_EQ(refusal({"", "i32[], i32[]", "i32[]", text.c_str()}, {true, true}, 3),
            "conditions of loops nest deeply in it");
}

/// A for loop in a for loop, and so on.
std::string nested_loops(int depth) {
  std::string text;
  for (int level = depth; level-- > 0;) {
    std::string i = "%i" + std::to_string(level), s = "%s" + std::to_string(level);
    std::string outer = "%i" + std::to_string(level - 1), r = "%r" + std::to_string(level);
    std::string operands =
        level > 0 ? outer + " to " + outer + " carry(%s" + std::to_string(level - 1) + ")"
                  : "%a0 to %a1 carry(%a2)";
    bool is_innermost = level + 1 == depth;
    text = "kolam.for from " + operands + " : (i32[], i32[], i32[]) -> i32[] {\n^bb0(" + i +
           ": i32[], " + s + ": i32[]):\n" + (is_innermost ? "" : r + " = " + text) +
           "\nkolam.yield " + (is_innermost ? i : r) + " : i32[]\n}";
  }
  return text;
}

TEST(BatchOp, TakesDeepNestsInTime) {
  std::string text = nested_loops(200);
  Subject subject =
      parse_subject(batch_cases::program({"", "i32[], i32[], i32[]", "i32[]", text.c_str()}));
  for (const EachFlags& each : {EachFlags{false, false, true, false}, {true, true, false, false}}) {
    std::string why;
    EXPECT_TRUE(batched(subject, each, 3, &why)) << why;
  }
}

TEST(BatchOp, KeepsTheLinesOfOpsInBodies) {
  Subject subject = parse_subject(batch_cases::program(batch_cases::kLoops[0]));
  std::string why;
  auto batch = batched(subject, {false, false, true, true, false, false}, 3, &why);
  ASSERT_TRUE(batch) << why;
  std::map<std::string, std::set<unsigned>> lines, expected;
  auto note = [](std::map<std::string, std::set<unsigned>>& lines) {
    return [&lines](ir::ElementwiseOp op) {
      auto line = llvm::cast<mlir::FileLineColLoc>(op.getLoc()).getLine();
      lines[op.getFunction().str()].insert(line);
    };
  };
  batch->program.module->walk(note(lines));
  subject.program.module->walk(note(expected));
  EXPECT_EQ(lines, expected);
}

} // namespace
} // namespace kolam::transform
