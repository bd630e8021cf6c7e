// SPDX-License-Identifier: Apache-2.0
// Ten million TLPs over three links on which one bit in a million is wrong (PCIe r6.0, sec 3.6):
// what the data link layer promises, counted.
#include <cmath>
#include <cstdio>

#include "tests/bench/three_hops.h"
#include "tests/support/catch.h"

namespace peerfab::validation {

TEST_CASE("ten million TLPs over three hops at a bit-error rate of 1e-6: nothing is lost") {
  constexpr double kRate = 1e-6;
  constexpr std::uint64_t kTlps = 10'000'000;
  constexpr std::uint64_t kPerJob = bench::ThreeHops::kJobBytes / bench::ThreeHops::kTlpBytes;
  constexpr std::uint64_t kJobs = (kTlps + kPerJob - 1) / kPerJob;
  bench::ThreeHops line({true, kRate, true, 1});
  line.watch();
  line.write(kJobs * bench::ThreeHops::kJobBytes);
  const bench::ThreeHopsCounts counts = line.counts();
  std::printf(
      "%llu TLPs over 3 hops: %llu damaged, %llu DLLPs lost, %llu Naks, %llu replays (%llu after a "
      "timeout), %llu TLPs sent again, %llu duplicates dropped, %llu retrainings, %llu nullified; "
      "%llu arrived, %llu out of turn, %llu bytes wrong\n",
      static_cast<unsigned long long>(counts.tlps), static_cast<unsigned long long>(counts.errors),
      static_cast<unsigned long long>(counts.lost_dllps),
      static_cast<unsigned long long>(counts.naks), static_cast<unsigned long long>(counts.replays),
      static_cast<unsigned long long>(counts.timeouts),
      static_cast<unsigned long long>(counts.replayed),
      static_cast<unsigned long long>(counts.duplicates),
      static_cast<unsigned long long>(counts.retrains),
      static_cast<unsigned long long>(counts.nullified),
      static_cast<unsigned long long>(line.arrived()),
      static_cast<unsigned long long>(line.out_of_turn()),
      static_cast<unsigned long long>(line.wrong_bytes()));
  CHECK(counts.tlps == kJobs * kPerJob);
  CHECK(counts.tlps >= kTlps);
  CHECK(line.arrived() == counts.tlps);
  CHECK(line.out_of_turn() == 0);
  CHECK(line.wrong_bytes() == 0);
  CHECK(line.failed_jobs() == 0);

  // A TLP of 256 B has 276 B or more on the wire. What was sent counts, replays included.
  const double sent = 3.0 * static_cast<double>(counts.tlps) + static_cast<double>(counts.replayed);
  const double expected = sent * -std::expm1(276 * 8 * std::log1p(-kRate));
  INFO("expected " << expected);
  CHECK(std::abs(static_cast<double>(counts.errors) - expected) < 0.03 * expected);
  CHECK(counts.replays >= counts.naks - counts.lost_dllps);
  CHECK(counts.timeouts > 0);  // a damaged replay, or a lost Nak
}

}  // namespace peerfab::validation
