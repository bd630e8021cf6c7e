// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/port_registers.h"

#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {
namespace {

TEST_CASE("A memory window register holds address bits 31:20", "[cfgspace]") {
  const MemoryWindowRegisters registers = encode_memory_window(range(0x80100000, 3 * kMiB));
  CHECK(registers.base == 0x8010);
  CHECK(registers.limit == 0x8030);
  CHECK(decode_memory_window(registers) == range(0x80100000, 3 * kMiB));
  // The low four bits are read-only and carry no address.
  CHECK(decode_memory_window({0x801f, 0x803f}) == range(0x80100000, 3 * kMiB));
  // The last window below 4 GiB.
  CHECK(decode_memory_window({0xfff0, 0xfff0}) == range(0xfff00000, kMiB));
}

TEST_CASE("A bridge whose limit lies below its base has no window", "[cfgspace]") {
  CHECK(decode_memory_window({0x8010, 0x8000}).empty());
  CHECK(decode_memory_window(encode_memory_window({})).empty());
  CHECK(decode_prefetchable_window(encode_prefetchable_window({})).empty());
  // All zeros is not closed: it is the first MiB, as after reset.
  CHECK(decode_memory_window({0, 0}) == range(0, kMiB));
}

TEST_CASE("A prefetchable window reaches beyond 4 GiB", "[cfgspace]") {
  const AddressRange window = range(0x3800'0000'0000, 128 * kGiB);
  const PrefetchableWindowRegisters registers = encode_prefetchable_window(window);
  CHECK(registers.base_upper == 0x3800);
  CHECK(registers.limit_upper == 0x381f);
  CHECK(registers.base == 0x0001);
  CHECK(registers.limit == 0xfff1);
  CHECK(decode_prefetchable_window(registers) == window);
  const AddressRange one_granule = range(0xffff'ffff'fff0'0000, kMiB);
  CHECK(decode_prefetchable_window(encode_prefetchable_window(one_granule)) == one_granule);
}

TEST_CASE("Command and ACS control convert to their registers and back", "[cfgspace]") {
  CHECK(Command{true, false}.to_register() == 0x2);
  CHECK(Command{false, true}.to_register() == 0x4);
  for (std::uint16_t value = 0; value < 128; ++value) {
    AcsControl acs;
    acs.egress_control_vector.set(9);
    acs.set_from_register(static_cast<std::uint16_t>(value | 0xff80));  // reserved bits
    CHECK(acs.to_register() == value);
    CHECK(acs.egress_control_vector.test(9));
    CHECK(Command::from_register(Command::from_register(value).to_register()) ==
          Command::from_register(value));
  }
  // Bits as in PCIe r6.0, sec 7.7.11.3.
  AcsControl acs;
  acs.p2p_request_redirect = acs.p2p_completion_redirect = acs.upstream_forwarding = true;
  CHECK(acs.to_register() == 0x1c);
}

TEST_CASE("A BAR request is valid as the register can encode it", "[cfgspace]") {
  BarRequest bar{
      .index = 0, .size = Bytes(16), .is_64bit = false, .prefetchable = false, .meaning = ""};
  CHECK(is_valid(bar));
  bar.size = Bytes(8);
  CHECK_FALSE(is_valid(bar));
  bar.size = Bytes(48);
  CHECK_FALSE(is_valid(bar));
  bar.size = Bytes(0);
  CHECK_FALSE(is_valid(bar));
  bar.size = kLargestBar32;
  CHECK(is_valid(bar));
  bar.size = Bytes(4 * kGiB);
  CHECK_FALSE(is_valid(bar));
  bar.is_64bit = true;
  CHECK(is_valid(bar));
  bar.index = 5;
  CHECK_FALSE(is_valid(bar));
  bar.is_64bit = false;
  bar.size = Bytes(4096);
  CHECK(is_valid(bar));
  bar.index = 6;
  CHECK_FALSE(is_valid(bar));
}

TEST_CASE("Ranges include both ends and survive the last address", "[cfgspace]") {
  const AddressRange r = range(0x1000, 0x100);
  CHECK(r.contains(BusAddress(0x1000), Bytes(0x100)));
  CHECK_FALSE(r.contains(BusAddress(0x1001), Bytes(0x100)));
  CHECK(r.contains(BusAddress(0x10ff), Bytes(0)));
  CHECK_FALSE(r.contains(BusAddress(0xfff), Bytes(1)));
  CHECK(AddressRange::all().contains(BusAddress(~std::uint64_t{0}), Bytes(1)));
  CHECK_FALSE(AddressRange::all().contains(BusAddress(~std::uint64_t{0}), Bytes(2)));
  CHECK_FALSE(AddressRange().contains(BusAddress(0)));
  CHECK_FALSE(AddressRange().overlaps(AddressRange::all()));
  CHECK(r.overlaps(range(0x10ff, 1)));
  CHECK_FALSE(r.overlaps(range(0x1100, 1)));
  CHECK(IdRange::of_buses(3, 4).contains(Bdf(4, 31, 7)));
  CHECK_FALSE(IdRange::of_buses(3, 4).contains(Bdf(5, 0, 0)));
  CHECK(BusNumbers{}.behind().empty());
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
