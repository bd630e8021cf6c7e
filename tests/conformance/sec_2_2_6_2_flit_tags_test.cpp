// SPDX-License-Identifier: Apache-2.0
// PCIe r6.3, sec 2.2.6.2, Table 2-11: the values of tags by their size.
#include "sim/pcie/tags.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {

TEST_CASE("a 14-bit tag is 1024 to 16383", "[conformance][sec-2.2.6.2]") {
  constexpr TagRange kRange = tag_range(TagSize::k14Bit);
  CHECK_FALSE(kRange.contains(Tag(1023)));
  CHECK(kRange.contains(Tag(1024)));
  CHECK(kRange.contains(Tag(16383)));
  CHECK_FALSE(kRange.contains(Tag(16384)));
}

TEST_CASE("a 10-bit tag is 256 to 1023", "[conformance][sec-2.2.6.2]") {
  constexpr TagRange kRange = tag_range(TagSize::k10Bit);
  CHECK_FALSE(kRange.contains(Tag(255)));
  CHECK(kRange.contains(Tag(256)));
  CHECK(kRange.contains(Tag(1023)));
  CHECK_FALSE(kRange.contains(Tag(1024)));
}

TEST_CASE("a completer that drops the upper bits returns a tag that was never sent",
          "[conformance][sec-2.2.6.2]") {
  const TagAllocator tags(TagSize::k14Bit);
  bool found = true;
  for (unsigned tag = 1024; tag < 16384; ++tag) {
    found = found && !tags.range().contains(Tag(static_cast<std::uint16_t>(tag & 0x3ff)));
  }
  CHECK(found);
}

}  // namespace peerfab::pcie
