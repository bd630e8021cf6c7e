// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/tlp.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/engine_allocations.h"
#include "tests/support/engine_link.h"

using peerfab::Bdf;
using peerfab::Picoseconds;
using peerfab::engine::CompletionStatus;
using peerfab::engine::Tlp;
using peerfab::engine::TlpPool;
using peerfab::engine::TlpSegment;
namespace test = peerfab::test;

TEST_CASE("a pool hands out distinct TLPs, each on a cache line of its own", "[tlp]") {
  TlpPool pool(0);
  std::set<Tlp*> seen;
  for (int i = 0; i < 5000; ++i) {
    Tlp* const tlp = pool.allocate();
    REQUIRE(reinterpret_cast<std::uintptr_t>(tlp) % 64 == 0);
    REQUIRE(seen.insert(tlp).second);
  }
  CHECK(pool.capacity() >= 5000);
}

TEST_CASE("a pool gives released TLPs out again and does not grow for them", "[tlp]") {
  TlpPool pool(0);
  std::vector<Tlp*> held;
  for (int i = 0; i < 3000; ++i) held.push_back(pool.allocate());
  const std::set<Tlp*> first_round(held.begin(), held.end());
  const std::size_t capacity = pool.capacity();
  for (Tlp* const tlp : held) pool.release(tlp);
  std::set<Tlp*> second_round;
  for (int i = 0; i < 3000; ++i) second_round.insert(pool.allocate());
  CHECK(second_round == first_round);
  CHECK(pool.capacity() == capacity);
  // The one released last comes first: its line is still in the cache.
  Tlp* const warm = *second_round.begin();
  pool.release(warm);
  CHECK(pool.allocate() == warm);
}

TEST_CASE("a warm pool allocates nothing", "[tlp]") {
  TlpPool pool(256);
  std::vector<Tlp*> held(1500);
  for (Tlp*& tlp : held) tlp = pool.allocate();
  for (Tlp* const tlp : held) pool.release(tlp);
  const std::uint64_t before = test::allocations();
  for (int round = 0; round < 50; ++round) {
    for (Tlp*& tlp : held) tlp = pool.allocate();
    for (Tlp* const tlp : held) pool.release(tlp);
  }
  CHECK(test::allocations() == before);
}

TEST_CASE("payloads of different TLPs do not overlap", "[tlp]") {
  for (const std::size_t size : {1U, 64U, 128U, 256U, 4096U}) {
    INFO("payload of " << size);
    TlpPool pool(size);
    REQUIRE(pool.with_payload());
    std::vector<Tlp*> held;
    for (int i = 0; i < 2500; ++i) held.push_back(pool.allocate());  // more than two chunks
    for (std::size_t i = 0; i < held.size(); ++i) {
      std::byte* const payload = pool.payload(held[i]);
      REQUIRE(payload != nullptr);
      std::memset(payload, static_cast<int>(i % 251), size);
      std::memcpy(payload, &i, std::min(size, sizeof(i)));
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
      const std::byte* const payload = pool.payload(held[i]);
      std::size_t number = 0;
      std::memcpy(&number, payload, std::min(size, sizeof(number)));
      const std::size_t expected = size < sizeof(i) ? i & 0xff : i;
      REQUIRE(number == expected);
      REQUIRE(
          std::all_of(payload + std::min(size, sizeof(i)), payload + size,
                      [i](std::byte value) { return value == static_cast<std::byte>(i % 251); }));
    }
  }
}

TEST_CASE("a payload stays with its TLP while others come and go", "[tlp]") {
  TlpPool pool(128);
  Tlp* const kept = pool.allocate();
  std::byte* const payload = pool.payload(kept);
  for (int i = 0; i < 4000; ++i) REQUIRE(pool.payload(pool.allocate()) != payload);
  CHECK(pool.payload(kept) == payload);
}

TEST_CASE("a pool without payload has none", "[tlp]") {
  TlpPool pool(0);
  CHECK_FALSE(pool.with_payload());
  CHECK(pool.payload(pool.allocate()) == nullptr);
}

TEST_CASE("a payload takes whole DWs from the one of its first byte on", "[tlp]") {
  TlpPool pool(0);
  // PCIe r6.0, sec 2.2.5: the DWs that hold the first and the last byte travel whole.
  CHECK(test::make_write(pool, 4, 0)->payload_dw_bytes() == 4);
  CHECK(test::make_write(pool, 1, 3)->payload_dw_bytes() == 4);
  CHECK(test::make_write(pool, 2, 3)->payload_dw_bytes() == 8);
  CHECK(test::make_write(pool, 256, 0x1001)->payload_dw_bytes() == 260);
  CHECK(test::make_write(pool, 255, 0x1001)->payload_dw_bytes() == 256);
  CHECK(test::make_read(pool, 256)->payload_dw_bytes() == 0);
  CHECK(test::make_read(pool, 256)->payload_bytes() == 0);
  CHECK(test::make_write(pool, 255, 0x1001)->payload_bytes() == 255);
  // PCIe r6.0, sec 2.6.1: one data credit is 16 B.
  CHECK(test::make_write(pool, 16, 0)->data_credits() == 1);
  CHECK(test::make_write(pool, 16, 1)->data_credits() == 2);
  CHECK(test::make_write(pool, 17, 0)->data_credits() == 2);
  CHECK(test::make_read(pool, 4096)->data_credits() == 0);
  CHECK(test::make_write(pool, 4, 0xffffffff)->header_bytes() == 12);
  CHECK(test::make_write(pool, 4, 0x100000000)->header_bytes() == 16);
}

TEST_CASE("a completion keeps its status, lower address and completer apart", "[tlp]") {
  Tlp tlp;
  tlp.flags = 0x8f;
  for (const CompletionStatus status :
       {CompletionStatus::kUnsupportedRequest, CompletionStatus::kCompleterAbort,
        CompletionStatus::kConfigurationRequestRetry, CompletionStatus::kSuccessful}) {
    tlp.set_status(status);
    CHECK(tlp.status() == status);
    CHECK((tlp.flags & 0x8f) == 0x8f);
  }
  tlp.set_completion_address(0x123456789ffU, Bdf(0xabcd));
  CHECK(tlp.lower_address() == 0x7f);
  CHECK(tlp.completer() == Bdf(0xabcd));
}

TEST_CASE("a segment saturates where its counter ends", "[tlp]") {
  Tlp tlp;
  tlp.add(TlpSegment::kMemory, 0xfffffff0);
  CHECK(tlp.segment(TlpSegment::kMemory) == 0xfffffff0);
  tlp.add(TlpSegment::kMemory, 0xf);
  CHECK(tlp.segment(TlpSegment::kMemory) == 0xffffffff);
  tlp.add(TlpSegment::kMemory, 1);
  CHECK(tlp.segment(TlpSegment::kMemory) == 0xffffffff);
  tlp.add(TlpSegment::kCreditStall, std::uint64_t{1} << 40);
  CHECK(tlp.segment(TlpSegment::kCreditStall) == 0xffffffff);
}

TEST_CASE("serialisation is paid once at the slowest link, the rest is the switches'", "[tlp]") {
  Tlp tlp;
  const auto paid = [&tlp] {
    return std::pair(tlp.segment(TlpSegment::kSerialisation), tlp.segment(TlpSegment::kSwitch));
  };
  tlp.pay_serialisation(Picoseconds(100));
  CHECK(paid() == std::pair(100U, 0U));
  tlp.pay_serialisation(Picoseconds(40));  // a faster link: the whole wait is the switch's
  CHECK(paid() == std::pair(100U, 40U));
  tlp.pay_serialisation(Picoseconds(100));
  CHECK(paid() == std::pair(100U, 140U));
  tlp.pay_serialisation(Picoseconds(250));  // the slowest so far: what was paid before moves over
  CHECK(paid() == std::pair(250U, 240U));
}
