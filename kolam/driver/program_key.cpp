// Writes down a program, each of its types, attributes and locations once.
#include "kolam/driver/program_key.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

namespace kolam::driver {
namespace {

class Content {
public:
  void add(mlir::Operation& op) {
    add_once(op.getName().getAsOpaquePointer(), [&] { return op.getName().getStringRef().str(); });
    add_once(op.getLoc().getAsOpaquePointer(), [&] { return printed(op.getLoc()); });
    mlir::DictionaryAttr attributes = op.getAttrDictionary();
    add_once(attributes.getAsOpaquePointer(), [&] { return printed(attributes); });
    add(op.getNumOperands());
    for (mlir::Value operand : op.getOperands())
      add(values_.lookup(operand));
    add(op.getNumResults());
    for (mlir::Value result : op.getResults())
      bind(result);
    add(op.getNumRegions());
    for (mlir::Region& region : op.getRegions())
      for (mlir::Block& block : region)
        add(block);
  }

  std::string take() { return std::move(bytes_); }

private:
  /// Blocks end with their terminator, which begins none.
  void add(mlir::Block& block) {
    add(block.getNumArguments());
    for (mlir::BlockArgument argument : block.getArguments())
      bind(argument);
    add(std::distance(block.begin(), block.end()));
    for (mlir::Operation& op : block)
      add(op);
  }

  void bind(mlir::Value value) {
    values_[value] = values_.size() + 1;
    mlir::Type type = value.getType();
    add_once(type.getAsOpaquePointer(), [&] { return printed(type); });
  }

  void add(uint64_t number) {
    do {
      bytes_ += static_cast<char>((number & 127) | (number > 127 ? 128 : 0));
      number >>= 7;
    } while (number);
  }

  /// A number for what a pointer of the context stands for; at the first time its text, too.
  template <class Text> void add_once(const void* pointer, const Text& text) {
    auto [found, is_new] = known_.try_emplace(pointer, known_.size());
    add(found->second);
    if (!is_new)
      return;
    const std::string said = text();
    add(said.size());
    bytes_ += said;
  }

  template <class Printable> static std::string printed(Printable what) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    what.print(stream);
    return text;
  }

  std::string bytes_;
  llvm::DenseMap<const void*, uint64_t> known_;
  llvm::DenseMap<mlir::Value, uint64_t> values_;
};

} // namespace

std::string program_content(mlir::ModuleOp program) {
  Content content;
  content.add(*program);
  return content.take();
}

} // namespace kolam::driver
