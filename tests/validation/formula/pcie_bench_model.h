// SPDX-License-Identifier: Apache-2.0
// The closed-form bandwidth model of pcie-bench (github.com/pcie-bench/pcie-model, its pcie.py and
// mem_bw.py), as functions of our own protocol constants.
//
// It is a reference to compare with, and no upper bound: it deducts DLLPs at the recommended rate
// and as if they took a whole lane's symbols, and real links send fewer.
#pragma once

namespace peerfab::validation {

struct BenchSetting {
  unsigned generation = 3;
  unsigned width = 8;
  unsigned max_payload = 256;
  unsigned max_read_request = 512;
  unsigned address_bits = 64;  // 32 or 64
  bool digest = false;
};

// Rate of one direction after 8b/10b or 128b/130b coding.
double encoded_gbps(unsigned generation, unsigned width);
// What the model leaves for TLPs: encoded * (1 - 8/Ack limit - 8/UpdateFC limit - 4/1538).
double tlp_gbps(const BenchSetting& setting);

// Bytes of one TLP on the wire beside its payload, and of a read request as a whole.
unsigned write_overhead_bytes(const BenchSetting& setting);
unsigned read_request_bytes(const BenchSetting& setting);
unsigned completion_overhead_bytes(const BenchSetting& setting);

// Payload rate of continuous transfers of `size` bytes: writes only, reads only, and both at once
// (the rate of each).
double write_gbps(const BenchSetting& setting, unsigned size);
double read_gbps(const BenchSetting& setting, unsigned size);
double read_write_gbps(const BenchSetting& setting, unsigned size);

}  // namespace peerfab::validation
