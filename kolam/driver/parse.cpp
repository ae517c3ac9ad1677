// Parses programs, distrusting the text.
#include "kolam/driver/parse.h"

#include "kolam/driver/program_rules.h"
#include "kolam/driver/value_names.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

namespace kolam::driver {
namespace {

/// MLIR's parser recurses on nested brackets; a stack has room for far more than this.
constexpr int kMaxDepth = 500;
/// It takes minutes over long numbers and over dims in a row (1x1x...); 255 dims of 63 bits fit.
constexpr size_t kMaxWord = 6000;
constexpr int64_t kMaxRank = 255;

[[noreturn]] void fail_program(const std::string& file, const std::string& message) {
  fail(ErrorKind::value, "bad-program", file + ": " + message);
}

bool is_name_letter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/// Walks text before MLIR's parser sees it and refuses what that parser dies of.
class Scanner {
public:
  Scanner(const std::string& text, const std::string& file)
      : text_(text), file_(file), values_(text) {}

  void scan() {
    while (at_ < text_.size())
      step();
  }

private:
  void step() {
    char c = text_[at_++];
    if (c == '\n')
      ++line_;
    else if (c == '"')
      skip_string();
    else if (c == '/' && peek() == '/')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == '%')
      see_name();
    else if (c == '^')
      see_block();
    else if (c == '#' && llvm::isDigit(peek()))
      count_result();
    else if (c == '#' || c == '!')
      check_dialect(c);
    else if (llvm::isAlnum(c))
      check_word();
    else if (c == '-' && peek() == '>')
      ++at_;
    else if (llvm::StringRef("({[<").contains(c))
      open(c);
    else if (llvm::StringRef(")}]>").contains(c))
      close(c);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  llvm::StringRef take_while(bool (*belongs)(char)) {
    llvm::StringRef taken = llvm::StringRef(text_).substr(at_).take_while(belongs);
    at_ += taken.size();
    return taken;
  }

  void see_name() {
    size_t start = at_ - 1;
    name_ = take_while(is_name_letter);
    if (!values_.see(name_, start))
      refuse("values that are defined before they are used", "%" + name_.str());
  }

  void see_block() {
    take_while(is_name_letter);
    values_.begin_block();
  }

  /// To the end of the line where a string is not closed, as MLIR's lexer.
  void skip_string() {
    if (llvm::StringRef(text_).substr(at_).starts_with("func.func\""))
      values_.begin_function();
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
    }
  }

  void open(char c) {
    if (++depth_ > kMaxDepth)
      refuse("nesting of at most " + std::to_string(kMaxDepth) + " brackets", "more");
    values_.open(c);
    if (c == '{')
      results_.emplace_back();
  }

  void close(char c) {
    depth_ = std::max(0, depth_ - 1);
    values_.close(c);
    if (c == '}' && results_.size() > 1)
      results_.pop_back();
  }

  /// %x#7 says that %x has at least eight results, so the text has their types; MLIR's parser makes
  /// room for them before it sees whether that is true.
  void count_result() {
    llvm::StringRef digits = take_while([](char c) { return llvm::isDigit(c); });
    uint64_t number = 0;
    bool is_counted = !digits.getAsInteger(10, number) && number < text_.size();
    uint64_t& most = results_.back()[name_];
    if (is_counted && number > most) {
      total_ += number - most;
      most = number;
    }
    if (!is_counted || total_ > text_.size())
      refuse("result numbers that the text has room for", "%" + name_.str() + "#" + digits.str());
  }

  /// #kolam.extents, but not #name: aliases of aliases grow or nest beyond bounds.
  void check_dialect(char sigil) {
    llvm::StringRef name = take_while(is_name_letter);
    if (!name.empty() && !name.contains('.'))
      refuse("no aliases", std::string(1, sigil) + name.str());
  }

  /// Affine expressions nest without brackets, and no program has one.
  void check_word() {
    --at_;
    bool is_behind_dot = at_ > 0 && text_[at_ - 1] == '.';
    llvm::StringRef word =
        take_while([](char letter) { return llvm::isAlnum(letter) || letter == '_'; });
    if (word == "affine_map" || word == "affine_set")
      refuse("no affine expressions", word.str());
    if (is_behind_dot && word == "func" && word_ == "func")
      values_.begin_function();
    word_ = word;
    if (word.size() > kMaxWord)
      refuse("words and numbers of at most " + std::to_string(kMaxWord) + " letters", "more");
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& actual) const {
    fail_program(file_, "line " + std::to_string(line_) + ": expected " + expected + ", but got " +
                            actual);
  }

  const std::string& text_;
  const std::string& file_;
  size_t at_ = 0;
  int line_ = 1, depth_ = 0;
  llvm::StringRef name_; ///< the last after a %
  llvm::StringRef word_; ///< the last
  ValueNames values_;
  /// The highest result number of each name, by the braces around it; and their sum.
  std::vector<llvm::StringMap<uint64_t>> results_{1};
  uint64_t total_ = 0;
};

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

llvm::LogicalResult check_ranks(mlir::ModuleOp module) {
  auto check = [](mlir::Operation* op, mlir::TypeRange types) {
    for (mlir::Type type : types)
      if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
          tensor && tensor.getRank() > kMaxRank) {
        op->emitError("expected a tensor of at most ")
            << kMaxRank << " dims, but got " << tensor.getRank();
        return mlir::WalkResult::interrupt();
      }
    return mlir::WalkResult::advance();
  };
  return mlir::failure(module
                           .walk([&](mlir::Operation* op) {
                             for (mlir::Region& region : op->getRegions())
                               for (mlir::Block& block : region)
                                 if (check(op, block.getArgumentTypes()).wasInterrupted())
                                   return mlir::WalkResult::interrupt();
                             return check(op, op->getResultTypes());
                           })
                           .wasInterrupted());
}

} // namespace

ParsedProgram parse(const std::string& text, const std::string& file) {
  Scanner(text, file).scan();
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
  program.is_parsed = true;
  program.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(program.context.get()));
  mlir::AsmParserState names;
  // Verified below, when ranks are known to be sane.
  mlir::ParserConfig config(program.context.get(), /*verifyAfterParse=*/false);
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
  if (mlir::failed(check_ranks(*program.module)) || mlir::failed(mlir::verify(*program.module)) ||
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
    check_sizes(*program.module);
  } catch (const Error& error) {
    fail_program(file, error.message());
  }
  return parsed;
}

} // namespace kolam::driver
