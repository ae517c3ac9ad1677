// Parses programs, distrusting the text.
#include "kolam/driver/parse.h"

#include "kolam/driver/program_rules.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/Support/SourceMgr.h"

namespace kolam::driver {
namespace {

/// MLIR's parser recurses on nested brackets; a stack has room for far more than this.
constexpr int kMaxDepth = 500;

[[noreturn]] void fail_program(const std::string& file, const std::string& message) {
  fail(ErrorKind::value, "bad-program", file + ": " + message);
}

void check_depth(const std::string& text, const std::string& file) {
  int depth = 0, line = 1;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    line += c == '\n';
    if (c == '\\' && in_string) {
      ++i;
      continue;
    }
    if (c == '"')
      in_string = !in_string;
    if (in_string)
      continue;
    if (c == '(' || c == '{' || c == '[' || c == '<')
      ++depth;
    else if ((c == ')' || c == '}' || c == ']' || (c == '>' && (i == 0 || text[i - 1] != '-'))) &&
             depth > 0)
      --depth;
    if (depth > kMaxDepth)
      fail_program(file, "line " + std::to_string(line) + ": expected nesting of at most " +
                             std::to_string(kMaxDepth) + " brackets, but got more");
  }
}

std::string text_of(llvm::SMRange range) {
  if (!range.isValid())
    return "";
  llvm::StringRef name(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  return name.ltrim('%').str();
}

/// The name that the text gives to a value: "x", or "x#1" for a later result of several.
std::string name_of(mlir::Value value, const mlir::AsmParserState& names) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto* block = names.getBlockDef(argument.getOwner());
    return block && argument.getArgNumber() < block->arguments.size()
               ? text_of(block->arguments[argument.getArgNumber()].loc)
               : "";
  }
  auto result = llvm::cast<mlir::OpResult>(value);
  auto* op = names.getOpDef(result.getOwner());
  std::string name;
  unsigned start = 0;
  if (op)
    for (const auto& group : op->resultGroups)
      if (group.startIndex <= result.getResultNumber()) {
        name = text_of(group.definition.loc);
        start = group.startIndex;
      }
  if (unsigned place = result.getResultNumber() - start)
    name += "#" + std::to_string(place);
  return name;
}

} // namespace

ParsedProgram parse(const std::string& text, const std::string& file) {
  check_depth(text, file);
  ParsedProgram parsed{{make_context(), {}}, {}, {}};
  Module& program = parsed.program;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(program.context.get(), [&](mlir::Diagnostic& diagnostic) {
    if (!messages.empty())
      return mlir::success();
    if (auto where = llvm::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
      messages += "line " + std::to_string(where.getLine()) + ", column " +
                  std::to_string(where.getColumn()) + ": ";
    messages += diagnostic.str();
    return mlir::success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file), llvm::SMLoc());
  program.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(program.context.get()));
  mlir::AsmParserState names;
  mlir::ParserConfig config(program.context.get());
  if (mlir::failed(mlir::parseAsmSourceFile(sources, program.module->getBody(), config, &names)))
    fail_program(file, messages.empty() ? "expected a program" : messages);
  if (program.module->getBody()->empty())
    fail_program(file, "expected a function with a body");
  // A text may hold the module itself or just its functions.
  if (auto inner = llvm::dyn_cast<mlir::ModuleOp>(program.module->getBody()->front());
      inner && llvm::hasSingleElement(*program.module->getBody())) {
    inner->remove();
    program.module = inner;
  }
  if (mlir::failed(mlir::verify(*program.module)) ||
      mlir::failed(check_program_rules(*program.module)))
    fail_program(file, messages);
  auto functions = program.module->getOps<mlir::func::FuncOp>();
  if (functions.empty())
    fail_program(file, "expected a function with a body");
  if (!program.main())
    (*functions.begin()).setName("main");
  mlir::Block& body = program.main().getBody().front();
  for (mlir::Value argument : body.getArguments())
    parsed.parameter_names.push_back(name_of(argument, names));
  for (mlir::Value result : body.getTerminator()->getOperands())
    parsed.result_names.push_back(name_of(result, names));
  try {
    guard_sizes(*program.module);
  } catch (const Error& error) {
    fail_program(file, error.message());
  }
  return parsed;
}

} // namespace kolam::driver
