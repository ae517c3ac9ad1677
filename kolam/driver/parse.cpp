// Parses programs, distrusting the text.
#include "kolam/driver/parse.h"

#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include "mlir/Parser/Parser.h"

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

void check_types(mlir::TypeRange types, const std::string& file) {
  for (mlir::Type type : types)
    if (!ir::is_program_type(type)) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      type.print(stream);
      fail_program(file, "expected a tensor of a kolam dtype, but got " + text);
    }
}

} // namespace

Module parse(const std::string& text, const std::string& file) {
  check_depth(text, file);
  Module program{make_context(), {}};
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
  program.module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(program.context.get()), file);
  if (!program.module)
    fail_program(file, messages.empty() ? "expected a program" : messages);
  auto functions = program.module->getOps<mlir::func::FuncOp>();
  if (functions.empty() || (*functions.begin()).isDeclaration())
    fail_program(file, "expected a function with a body");
  if (!program.main())
    (*functions.begin()).setName("main");
  program.module->walk([&](mlir::Operation* op) {
    llvm::StringRef dialect = op->getName().getDialectNamespace();
    if (dialect != "kolam" && dialect != "func" && !llvm::isa<mlir::ModuleOp>(op))
      fail_program(file, "expected ops of the kolam dialect, but got " +
                             op->getName().getStringRef().str());
    check_types(op->getOperandTypes(), file);
    check_types(op->getResultTypes(), file);
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& block : region)
        check_types(block.getArgumentTypes(), file);
  });
  return program;
}

} // namespace kolam::driver
