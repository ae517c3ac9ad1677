// Hostile text: whatever comes, parsing gives a program or a [bad-program] error.
#include "kolam/driver/parse.h"

#include "kolam/driver/program_rules.h"

#include "kolam/interp/interpreter.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace kolam::driver {
namespace {

/// "" for a program, else the error's message.
std::string refusal(const std::string& text) {
  try {
    parse(text, "test.mlir");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "bad-program") << error.what();
    return error.message();
  }
}

void expect_refused(const std::string& text, const std::string& words) {
  std::string message = refusal(text);
  EXPECT_NE(message.find(words), std::string::npos) << "got: " << message;
}

std::string in_main(const std::string& body, const std::string& arguments = "%x: tensor<4xf32>") {
  return "func.func @main(" + arguments + ") {\n" + body + "\nreturn\n}\n";
}

TEST(Parse, NamesLineAndColumn) {
  expect_refused(in_main("%r = kolam.exp %x"), "test.mlir: line 2, column 6: ");
}

TEST(Parse, RefusesDeepNesting) {
  for (const char* bracket : {"(", "[", "{", "<"}) {
    std::string deep;
    for (int i = 0; i < 20000; ++i)
      deep += bracket;
    expect_refused("func.func @main() attributes " + deep, "nesting of at most 500");
  }
}

TEST(Parse, RefusesNestingBehindACommentOrAnOpenString) {
  std::string deep(20000, '[');
  expect_refused("// \"\nfunc.func @main() attributes " + deep, "line 2: expected nesting");
  expect_refused("\"\nfunc.func @main() attributes " + deep, "line 2: expected nesting");
}

TEST(Parse, CommentsMayHoldBrackets) {
  EXPECT_EQ(refusal("// " + std::string(600, '(') + "\n" + in_main("")), "");
}

TEST(Parse, RefusesResultNumbersBeyondTheText) {
  const std::string words = "expected result numbers that the text has room for, but got %";
  for (const char* number : {"3037000500", "1000000", "18446744073709551616"}) {
    expect_refused("func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x#" +
                       std::string(number) + " : tensor<f32> }",
                   words + "x#" + number);
    expect_refused(in_main("return %x  #" + std::string(number)), words + "x#" + number);
  }
  std::string made, many;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "%a" + std::to_string(i);
    made += name + " = kolam.cast %x : tensor<f32> -> tensor<f32>\n";
    many += name + "#2000, ";
  }
  expect_refused(in_main(made + "return " + many), words);
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(Parse, RefusesWhatTheParserCannotBear) {
  auto with_attribute = [](const std::string& attribute) {
    return "func.func @main() attributes {a = " + attribute + "} { return }";
  };
  expect_refused(with_attribute("affine_map<(d0)->(" + repeated("d0+", 100000) + "d0)>"),
                 "line 1: expected no affine expressions, but got affine_map");
  expect_refused("#a = [1, 2]\n#b = [#a, #a]\n" + with_attribute("#b"),
                 "line 1: expected no aliases, but got #a");
  expect_refused("!a = tuple<i32, i32>\n" + in_main(""), "expected no aliases, but got !a");
  expect_refused(with_attribute(std::string(100000, '9') + " : i16777215"),
                 "expected words and numbers of at most 6000 letters, but got more");
  expect_refused(in_main("", "%x: tensor<" + repeated("1x", 200000) + "f32>"),
                 "expected words and numbers of at most 6000 letters, but got more");
  expect_refused(in_main("", "%x: tensor<" + repeated("1x", 300) + "f32>"),
                 "expected a tensor of at most 255 dims, but got 300");
}

TEST(Parse, TakesResultNumbersOfRealOps) {
  constexpr int kCount = 300;
  auto joined = [](auto text_of) {
    std::string text;
    for (int i = 0; i < kCount; ++i)
      text += (i ? ", " : "") + text_of(i);
    return text;
  };
  auto argument = [](int i) { return "%a" + std::to_string(i); };
  std::string type = "tensor<f32>", types = joined([&](int) { return type; });
  std::string loop =
      "%r:300 = kolam.for from %n to %n carry(" + joined([](int) { return std::string("%x"); }) +
      ") captures() : (tensor<i32>, tensor<i32>, " + types + ") -> (" + types +
      ") {\n^bb0(%i: tensor<i32>, " + joined([&](int i) { return argument(i) + ": " + type; }) +
      "):\nkolam.yield " + joined(argument) + " : " + types + "\n}\n";
  EXPECT_EQ(refusal(in_main(loop + "%s = kolam.elementwise \"abs\" %r#299 : (tensor<f32>) -> "
                                   "tensor<f32>",
                            "%n: tensor<i32>, %x: tensor<f32>")),
            "");
}

TEST(Parse, RefusesTextThatIsNoProgram) {
  expect_refused("", "expected a function with a body");
  expect_refused("// only a comment\n", "expected a function with a body");
  expect_refused("module {}", "expected a function with a body");
  expect_refused("module { module { } }", "expected functions, but got builtin.module");
  expect_refused("func.func private @f()", "expected a function with a body");
  expect_refused("%x = kolam.extent \"1\" : tensor<i64>", "expected functions");
  expect_refused(std::string("\0\0\0", 3), "");
  expect_refused("hello", "");
}

TEST(Parse, RefusesHugeExtents) {
  expect_refused(in_main("", "%x: tensor<9223372036854775807x2xf32>"), "");
  expect_refused(in_main("", "%x: tensor<99999999999999999999xf32>"), "");
  expect_refused(in_main("%r = kolam.iota 0 : tensor<4611686018427387904x4xi32>"), "");
}

TEST(Parse, RefusesOtherDialects) {
  expect_refused(in_main("%c = arith.constant 1 : i32"), "arith");
  expect_refused(in_main("func.call @main(%x) : (tensor<4xf32>) -> ()"),
                 "expected ops of the kolam dialect, but got func.call");
  expect_refused(in_main("\"test.op\"() : () -> ()"), "");
  expect_refused(in_main("\"builtin.module\"() ({}) : () -> ()"), "");
}

TEST(Parse, RefusesOtherTypes) {
  for (const char* type :
       {"i32", "index", "tensor<4xi3>", "tensor<*xf32>", "tensor<?xf32>", "memref<4xf32>",
        "tensor<4xcomplex<f32>>", "vector<4xf32>", "tensor<4xf32, #kolam.extents<[\"4\"]>>",
        "tensor<?xf32, #kolam.extents<[\"n\", \"m\"]>>"})
    EXPECT_NE(refusal(in_main("", std::string("%x: ") + type)), "") << type;
}

TEST(Parse, RefusesTruncatedText) {
  std::string text =
      in_main("%r = kolam.elementwise \"exp\" %x : (tensor<4xf32>) -> tensor<4xf32>");
  ASSERT_EQ(refusal(text), "");
  for (size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_NE(refusal(text.substr(0, length)), "") << length;
}

TEST(Parse, ValuesAreDefinedBeforeTheyAreUsed) {
  // MLIR's parser puts the %0 of the region for the one outside, and frees it with the region.
  std::string text = "%1 = kolam.cast %0 : tensor<f32> -> tensor<i32>\n"
                     "%2 = kolam.while carry(%3) : (tensor<i32>) -> (tensor<i32>) {\n"
                     "  %0 = kolam.cast %4 : tensor<i32> -> tensor<f32>\n  ^bb0(\n";
  for (int i = 0; i < 300; ++i)
    expect_refused(text, "line 1: expected values that are defined before they are used, but got "
                         "%0");
  // Nor does a function know what is defined outside of it.
  std::string value = "%y = kolam.constant dense<0.0> : tensor<4xf32>\n",
              use = "%r = kolam.transpose %y [0] : tensor<4xf32> -> tensor<4xf32>";
  EXPECT_EQ(refusal(in_main(value + use)), "");
  expect_refused(value + in_main(use), "line 3: expected values that are defined before they are "
                                       "used, but got %y");
  expect_refused(in_main(use + "\n" + value), "but got %y");
}

/// Programs that mutations start from: one of most kinds of op.
const char* const kPrograms[] = {
    R"mlir(func.func @main(%x: tensor<4x3xf32>, %y: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"lanes<64>, chunk<4096>"> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = kolam.reverse %0 [0] : tensor<4x2xf32> -> tensor<4x2xf32>
  %2 = kolam.elementwise "maximum" %0, %1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
})mlir",
    R"mlir(func.func @main(%x: tensor<?x3xi32, #kolam.extents<["n", "3"]>>) -> tensor<3x2xi32> {
  %0 = kolam.slice %x <["min(1, n)", "0"]> [1, 2] : tensor<?x3xi32, #kolam.extents<["n", "3"]>> -> tensor<?x2xi32, #kolam.extents<["max(0, n - 1)", "2"]>>
  %1 = kolam.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %2 = kolam.transpose %1 [1, 0] : tensor<3x2xi32> -> tensor<2x3xi32>
  %3 = kolam.reshape %2 : tensor<2x3xi32> -> tensor<3x2xi32>
  return %3 : tensor<3x2xi32>
})mlir",
    R"mlir(func.func @main(%x: tensor<5xf32>, %i: tensor<2x1xi32>, %v: tensor<f32>) -> (tensor<2x2xf32>, tensor<9xf32>) {
  %0 = kolam.gather %x, %i "clip" dims [0] lengths [2] batched 0 : (tensor<5xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>
  %1 = kolam.pad %x, %v "wrap" low [1] high [3] : tensor<5xf32>, tensor<f32> -> tensor<9xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<9xf32>
})mlir",
    R"mlir(func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kolam.for from %n to %n carry(%x) captures(%x) : (tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>, %c: tensor<4xf32>):
    %1 = kolam.elementwise "add" %s, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    kolam.yield %1 : tensor<4xf32>
  }
  %2 = kolam.reduce "add" %0 dims [0] commutative true <"chunk<64>"> : (tensor<4xf32>) -> tensor<f32>
  %3 = kolam.broadcast %2 [] : tensor<f32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
})mlir",
    R"mlir(func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %0:2 = kolam.while carry(%n, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %1 = kolam.constant dense<3> : tensor<i32>
    %2 = kolam.elementwise "less" %i, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kolam.yield %2 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i32>, %t: tensor<4xf32>):
    %3 = kolam.constant dense<1> : tensor<i32>
    %4 = kolam.elementwise "add" %j, %3 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %values, %places = kolam.sort %t {descending = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
    kolam.yield %4, %values : tensor<i32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<4xf32>
})mlir",
};

/// One line moved, copied or left out: what a line needs then comes behind it or not at all.
std::string disorder(const std::string& text, std::mt19937& random) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  auto place = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()); };
  auto line = place();
  std::string taken = *line;
  if (random() % 3 != 0)
    lines.erase(line);
  if (random() % 3 != 0 && !lines.empty())
    lines.insert(place(), taken);
  std::string result;
  for (const std::string& each : lines)
    result += each + "\n";
  return result;
}

std::string mutate(std::string text, std::mt19937& random) {
  constexpr std::string_view words[] = {
      "0",      "-1",   "9",  "99999999999", "?",  "n",  "f32", "i1",    "ui8",    "[]",
      "[0, 0]", "\"\"", "%x", "x",           "<",  ">",  "(",   "\"n\"", "reduce", "sort",
      "-",      "true", "{",  "}",           "4x", "%0", "%1",  "^bb0("};
  if (random() % 4 == 0)
    text = disorder(text, random);
  int count = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < count && !text.empty(); ++i) {
    size_t at = random() % text.size(), length = 1 + random() % 6;
    switch (random() % 4) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, words[random() % std::size(words)]);
      break;
    case 2:
      text.replace(at, 1, words[random() % std::size(words)]);
      break;
    default:
      text.insert(random() % text.size(), text.substr(at, length * 3));
    }
  }
  return text;
}

bool is_small(mlir::func::FuncOp function) {
  bool small = true;
  function.walk([&](mlir::Operation* op) {
    for (mlir::Type type : op->getResultTypes())
      small &= element_count(ir::shape_of(type))
                   .substitute({{"n", Extent(3)}})
                   .constant()
                   .value_or(1 << 20) < 1 << 16;
  });
  for (mlir::Type type : function.getArgumentTypes())
    small &= element_count(ir::shape_of(type))
                 .substitute({{"n", Extent(3)}})
                 .constant()
                 .value_or(1 << 20) < 1 << 16;
  return small;
}

/// Runs what parsed; any Error is fine.
void run(const std::string& text) {
  Module program = parse(text, "test.mlir").program;
  if (!is_small(program.main()))
    return;
  std::vector<Array> arguments;
  for (mlir::Type type : program.main().getArgumentTypes()) {
    std::vector<int64_t> shape;
    for (const Extent& extent : ir::shape_of(type))
      shape.push_back(extent.evaluate({{"n", 3}}));
    arguments.push_back(Array::zeros(ir::dtype_of(type), shape));
  }
  stage_text(program, {}, "nests");
  guard_sizes(*program.module);
  interp::interpret(program.main(), arguments);
}

TEST(Parse, MutatedProgramsNeverCrash) {
  const char* given = std::getenv("KOLAM_SEED");
  uint32_t seed = given ? static_cast<uint32_t>(std::strtoull(given, nullptr, 10)) : 1;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int valid = 0;
  for (const char* program : kPrograms)
    ASSERT_EQ(refusal(program), "");
  // About one mutation in two hundred stays valid; without those the runs below prove nothing.
  for (int i = 0; i < 4000 || (valid <= 20 && i < 40000); ++i) {
    std::string text = mutate(kPrograms[i % std::size(kPrograms)], random);
    if (!refusal(text).empty())
      continue;
    ++valid;
    try {
      run(text);
    } catch (const Error& error) {
      EXPECT_NE(error.slug(), "internal") << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(valid, 20);
}

} // namespace
} // namespace kolam::driver
