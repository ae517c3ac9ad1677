// Stands in for LLVM's code that compresses sections of object files: nothing here has any, and it
// would ask for libzstd.
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"

namespace llvm::compression {
namespace {

constexpr const char* kReason = "this build of LLVM has no compression";

Error refuse() { return createStringError(kReason); }

} // namespace

using Bytes = ArrayRef<uint8_t>;
using Buffer = SmallVectorImpl<uint8_t>;

const char* getReasonIfUnsupported(Format) { return kReason; }
void compress(Params, Bytes, Buffer&) { reportFatalInternalError(kReason); }
Error decompress(DebugCompressionType, Bytes, uint8_t*, size_t) { return refuse(); }
Error decompress(Format, Bytes, Buffer&, size_t) { return refuse(); }
Error decompress(DebugCompressionType, Bytes, Buffer&, size_t) { return refuse(); }

namespace zlib {
bool isAvailable() { return false; }
void compress(Bytes, Buffer&, int) { reportFatalInternalError(kReason); }
Error decompress(Bytes, uint8_t*, size_t&) { return refuse(); }
Error decompress(Bytes, Buffer&, size_t) { return refuse(); }
} // namespace zlib

namespace zstd {
bool isAvailable() { return false; }
void compress(Bytes, Buffer&, int, bool) { reportFatalInternalError(kReason); }
Error decompress(Bytes, uint8_t*, size_t&) { return refuse(); }
Error decompress(Bytes, Buffer&, size_t) { return refuse(); }
} // namespace zstd

} // namespace llvm::compression
