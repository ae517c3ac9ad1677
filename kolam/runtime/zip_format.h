/// The numbers of the ZIP format (APPNOTE 6.3, section 4) that reader and writer share.
#pragma once

#include <cstdint>

namespace kolam::runtime::zip {

inline constexpr uint32_t kLocalHeader = 0x04034b50;
inline constexpr uint32_t kDirectoryHeader = 0x02014b50;
inline constexpr uint32_t kDirectoryEnd = 0x06054b50;
inline constexpr uint32_t kZip64DirectoryEnd = 0x06064b50;
inline constexpr uint32_t kZip64Locator = 0x07064b50;

inline constexpr uint64_t kLocalHeaderSize = 30;
inline constexpr uint64_t kDirectoryHeaderSize = 46;
inline constexpr uint64_t kDirectoryEndSize = 22;
inline constexpr uint64_t kZip64DirectoryEndSize = 56;
inline constexpr uint64_t kZip64LocatorSize = 20;

inline constexpr uint16_t kZip64Extra = 1;
inline constexpr uint16_t kEncryptedFlag = 1;
inline constexpr uint16_t kUtf8Flag = 1 << 11;
inline constexpr uint16_t kVersion = 20;
inline constexpr uint16_t kZip64Version = 45;
/// In a narrow field: "see the ZIP64 extra".
inline constexpr uint32_t kInZip64 = 0xffffffff;
inline constexpr uint16_t kCountInZip64 = 0xffff;

} // namespace kolam::runtime::zip
