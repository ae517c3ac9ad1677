// Reads the build ids that the linker wrote into the libraries of this process.
#include "kolam/backend/cpu/identity.h"

#include "mlir/IR/Verifier.h"
#include "llvm-c/Core.h"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <string_view>

namespace kolam::backend::cpu {
namespace {

struct Search {
  uintptr_t address;
  std::string build_id;
};

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// The build id among the notes of a segment; empty where there is none.
std::string build_id_of(std::string_view notes) {
  constexpr size_t kAlignment = 4;
  auto aligned = [](size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    size_t name = sizeof note, content = name + aligned(note.n_namesz),
           end = content + aligned(note.n_descsz);
    if (end > notes.size())
      return "";
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(name, 4) == std::string_view("GNU\0", 4))
      return hexadecimal(notes.substr(content, note.n_descsz));
    notes.remove_prefix(end);
  }
  return "";
}

int look(dl_phdr_info* library, size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  bool holds = false;
  std::string build_id;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = library->dlpi_phdr[i];
    uintptr_t start = library->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD)
      holds |= search.address - start < segment.p_memsz;
    if (segment.p_type == PT_NOTE && build_id.empty())
      build_id = build_id_of({reinterpret_cast<const char*>(start), segment.p_memsz});
  }
  if (holds)
    search.build_id = build_id;
  return holds ? 1 : 0;
}

/// The build id of the library that holds `function`.
template <class F> std::string library_of(F function) {
  Search search{reinterpret_cast<uintptr_t>(function), ""};
  dl_iterate_phdr(look, &search);
  return search.build_id;
}

std::string find_identity() {
  std::string identity;
  for (const std::string& part :
       {library_of(&build_identity), library_of(&mlir::verify), library_of(&LLVMGetVersion)}) {
    if (part.empty())
      return "";
    identity += part + " ";
  }
  return identity;
}

} // namespace

const std::string& build_identity() {
  static const std::string identity = find_identity();
  return identity;
}

} // namespace kolam::backend::cpu
