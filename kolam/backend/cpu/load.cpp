// Links object files for x86-64: copies their sections into memory of their own and writes the
// addresses that they ask for. Code that is position-independent and small asks for few kinds; a
// linker for all takes much longer than compiled programs should to start.
#include "kolam/backend/cpu/load.h"

#include "kolam/support/error.h"
#include "kolam/support/scalar/libcall.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kolam::backend::cpu {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Section = llvm::object::ELF64LE::Shdr;
using Symbol = llvm::object::ELF64LE::Sym;
using Relocation = llvm::object::ELF64LE::Rela;

/// Throws an `[internal]` Error for an object that cannot be linked.
[[noreturn]] void fail_linking(const std::string& why) {
  fail(ErrorKind::internal, "internal", "linking failed: " + why);
}

template <class T> T checked(llvm::Expected<T> expected) {
  if (!expected)
    fail_linking(llvm::toString(expected.takeError()));
  return std::move(*expected);
}

/// Pages of the process that go back with it.
class Pages {
public:
  explicit Pages(size_t bytes) : bytes_(bytes) {
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
      fail(ErrorKind::memory, "out-of-memory", "there is no memory for the code of a nest");
    data_ = static_cast<std::byte*>(data);
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* data() const { return data_; }
  /// From `first` on so many bytes, whole pages, are no longer to be written.
  void protect(size_t first, size_t bytes, int rights) const {
    if (bytes && mprotect(data_ + first, bytes, rights) != 0)
      fail_linking(std::string("memory cannot be made executable: ") + std::strerror(errno));
  }

private:
  std::byte* data_;
  size_t bytes_;
};

/// A nest's code.
class LinkedNest : public LoadedNest {
public:
  LinkedNest(std::unique_ptr<Pages> pages, void* function) : pages_(std::move(pages)) {
    code_ = {reinterpret_cast<abi::NestFunction>(function), nullptr};
  }

private:
  std::unique_ptr<Pages> pages_;
};

/// What a name stands for that the object does not define: functions of scalar code, and of the
/// process, as memcpy.
uintptr_t address_of(const std::string& name) {
  for (const scalar::LibcallSymbol& symbol : scalar::libcall_symbols())
    if (name == symbol.name)
      return reinterpret_cast<uintptr_t>(symbol.address);
  void* found = dlsym(RTLD_DEFAULT, name.c_str());
  if (!found)
    fail_linking("nothing is known of '" + name + "'");
  return reinterpret_cast<uintptr_t>(found);
}

/// Links one object.
///
/// The pages hold what runs, with jumps to functions that may be far away behind it; then what is
/// only read, with the table of far addresses; then what is written.
class Linker {
public:
  explicit Linker(const std::string& object)
      : elf_(checked(Elf::create(object))), sections_(checked(elf_.sections())) {
    if (elf_.getHeader().e_machine != llvm::ELF::EM_X86_64 ||
        elf_.getHeader().e_type != llvm::ELF::ET_REL)
      fail_linking("the object is for another machine");
  }

  std::shared_ptr<const LoadedNest> link(const std::string& symbol) {
    read_symbols();
    lay_out();
    copy();
    for (const Section& section : sections_)
      if (section.sh_type == llvm::ELF::SHT_RELA && places_.contains(section.sh_info))
        for (const Relocation& relocation : checked(elf_.relas(section)))
          relocate(section.sh_info, relocation);
    pages_->protect(0, read_only_, PROT_READ | PROT_EXEC);
    pages_->protect(read_only_, written_ - read_only_, PROT_READ);
    for (const Symbol& defined : symbols_)
      if (defined.st_shndx != llvm::ELF::SHN_UNDEF && name_of(defined) == symbol) {
        auto* function = reinterpret_cast<void*>(address(defined));
        return std::make_shared<LinkedNest>(std::move(pages_), function);
      }
    fail_linking("there is no '" + symbol + "'");
  }

private:
  /// Format of a far jump: jmp [rip + 0], the address, two bytes that fill up.
  static constexpr size_t kJumpBytes = 16;

  void read_symbols() {
    for (const Section& section : sections_)
      if (section.sh_type == llvm::ELF::SHT_SYMTAB) {
        symbols_ = checked(elf_.symbols(&section));
        names_ = checked(elf_.getStringTableForSymtab(section));
      }
  }

  std::string name_of(const Symbol& symbol) const { return checked(symbol.getName(names_)).str(); }

  static bool is_held(const Section& section) { return section.sh_flags & llvm::ELF::SHF_ALLOC; }

  /// Gives every section its place.
  void lay_out() {
    size_t end = 0;
    auto place = [&](auto&& belongs) {
      for (auto [number, section] : llvm::enumerate(sections_))
        if (is_held(section) && belongs(section.sh_flags)) {
          end = llvm::alignTo(end, std::max<uintptr_t>(1, section.sh_addralign));
          places_[number] = end;
          end += section.sh_size;
        }
    };
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    place([](uint64_t flags) { return flags & llvm::ELF::SHF_EXECINSTR; });
    jumps_ = llvm::alignTo(end, kJumpBytes);
    const size_t undefined = llvm::count_if(
        symbols_, [](const Symbol& symbol) { return symbol.st_shndx == llvm::ELF::SHN_UNDEF; });
    end = read_only_ = llvm::alignTo(jumps_ + undefined * kJumpBytes, page);
    place([](uint64_t flags) {
      return !(flags & (llvm::ELF::SHF_EXECINSTR | llvm::ELF::SHF_WRITE));
    });
    table_ = llvm::alignTo(end, sizeof(uint64_t));
    end = written_ = llvm::alignTo(table_ + symbols_.size() * sizeof(uint64_t), page);
    place([](uint64_t flags) {
      return (flags & llvm::ELF::SHF_WRITE) && !(flags & llvm::ELF::SHF_EXECINSTR);
    });
    pages_ = std::make_unique<Pages>(std::max(page, llvm::alignTo(end, page)));
  }

  void copy() {
    for (auto [number, place] : places_) {
      const Section& section = sections_[number];
      if (section.sh_type == llvm::ELF::SHT_NOBITS)
        continue;
      llvm::ArrayRef<uint8_t> bytes = checked(elf_.getSectionContents(section));
      std::memcpy(pages_->data() + place, bytes.data(), bytes.size());
    }
  }

  uintptr_t base() const { return reinterpret_cast<uintptr_t>(pages_->data()); }

  uintptr_t address(const Symbol& symbol) {
    if (symbol.st_shndx == llvm::ELF::SHN_UNDEF) {
      auto [found, is_new] = outside_.try_emplace(&symbol);
      if (is_new)
        found->second = address_of(name_of(symbol));
      return found->second;
    }
    auto place = places_.find(symbol.st_shndx);
    if (place == places_.end())
      fail_linking("'" + name_of(symbol) + "' lies in no section");
    return base() + place->second + symbol.st_value;
  }

  /// Where code can jump that cannot reach a function of the process by itself.
  uintptr_t jump_to(const Symbol& symbol) {
    if (symbol.st_shndx != llvm::ELF::SHN_UNDEF)
      return address(symbol);
    auto [found, is_new] = jumps_to_.try_emplace(&symbol, jumps_ + jumps_to_.size() * kJumpBytes);
    std::byte* jump = pages_->data() + found->second;
    if (is_new) {
      constexpr uint8_t kCode[] = {0xff, 0x25, 0, 0, 0, 0};
      const uintptr_t target = address(symbol);
      std::memcpy(jump, kCode, sizeof kCode);
      std::memcpy(jump + sizeof kCode, &target, sizeof target);
    }
    return reinterpret_cast<uintptr_t>(jump);
  }

  /// Where the address of a symbol is kept.
  uintptr_t entry_of(const Symbol& symbol) {
    auto [found, is_new] =
        entries_.try_emplace(&symbol, table_ + entries_.size() * sizeof(uint64_t));
    std::byte* entry = pages_->data() + found->second;
    if (is_new) {
      const uint64_t target = address(symbol);
      std::memcpy(entry, &target, sizeof target);
    }
    return reinterpret_cast<uintptr_t>(entry);
  }

  void relocate(size_t number, const Relocation& relocation) {
    const Section& section = sections_[number];
    const size_t width = relocation.getType(false) == llvm::ELF::R_X86_64_64 ||
                                 relocation.getType(false) == llvm::ELF::R_X86_64_PC64
                             ? sizeof(uint64_t)
                             : sizeof(uint32_t);
    const size_t symbol_number = relocation.getSymbol(false);
    if (symbol_number >= symbols_.size() || section.sh_size < width ||
        relocation.r_offset > section.sh_size - width)
      fail_linking("a relocation is out of bounds");
    const Symbol& symbol = symbols_[symbol_number];
    std::byte* at = pages_->data() + places_.lookup(number) + relocation.r_offset;
    const auto here = reinterpret_cast<uintptr_t>(at);
    const auto addend = static_cast<uintptr_t>(static_cast<int64_t>(relocation.r_addend));
    switch (relocation.getType(false)) {
    case llvm::ELF::R_X86_64_NONE:
      return;
    case llvm::ELF::R_X86_64_64:
      return write(at, address(symbol) + addend);
    case llvm::ELF::R_X86_64_PC64:
      return write(at, address(symbol) + addend - here);
    case llvm::ELF::R_X86_64_PC32:
      return write_near(at, address(symbol) + addend - here);
    case llvm::ELF::R_X86_64_PLT32:
      return write_near(at, jump_to(symbol) + addend - here);
    case llvm::ELF::R_X86_64_GOTPCREL:
    case llvm::ELF::R_X86_64_GOTPCRELX:
    case llvm::ELF::R_X86_64_REX_GOTPCRELX:
      return write_near(at, entry_of(symbol) + addend - here);
    default:
      fail_linking("relocation " + std::to_string(relocation.getType(false)) + " is not known");
    }
  }

  static void write(std::byte* at, uint64_t value) { std::memcpy(at, &value, sizeof value); }
  static void write_near(std::byte* at, uint64_t distance) {
    const auto near = static_cast<int32_t>(distance);
    if (static_cast<int64_t>(distance) != near)
      fail_linking("an address is too far away");
    std::memcpy(at, &near, sizeof near);
  }

  Elf elf_;
  llvm::ArrayRef<Section> sections_;
  llvm::ArrayRef<Symbol> symbols_;
  llvm::StringRef names_;
  std::unique_ptr<Pages> pages_;
  llvm::DenseMap<size_t, size_t> places_;                      ///< by section: where in the pages
  size_t jumps_ = 0, read_only_ = 0, table_ = 0, written_ = 0; ///< where parts begin
  llvm::DenseMap<const Symbol*, uintptr_t> outside_;
  llvm::DenseMap<const Symbol*, size_t> jumps_to_, entries_; ///< where in the pages
};

} // namespace

std::shared_ptr<const LoadedNest> link_nest(const std::string& object, const std::string& symbol) {
  return Linker(object).link(symbol);
}

} // namespace kolam::backend::cpu
