// SPDX-License-Identifier: Apache-2.0
// The two codes of a flit: a CRC of 8 bytes that finds errors, and an ECC of 6 bytes that corrects
// them before.
//
// Contract: PCIe r6.3, sec 4.2.3.4.2.3 and 4.2.3.4.2.4. The ECC is three codes over every third
// byte, each of which corrects one byte, so that a burst of 16 bits on a lane is corrected. The CRC
// is the remainder by g(x) = (x + a)(x + a^2)...(x + a^8) over GF(2^8): any 8 wrong bytes are
// found.
//
// Not compared with the generator matrix of Appendix K, which was not at hand: the order of bytes
// within the CRC's polynomial (byte 241 and CRC byte 7 are the highest powers) is read from the
// text that describes the matrix. Both ends here agree, and what the code finds does not depend on
// it, but a captured flit may show other CRC bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/pcie/spec.h"

namespace peerfab::pcie {

using FlitImage = std::span<std::byte, spec::kFlitBytes>;
using ConstFlitImage = std::span<const std::byte, spec::kFlitBytes>;

// Over TLP and DLP bytes.
void add_flit_crc(FlitImage flit);
[[nodiscard]] bool flit_crc_matches(ConstFlitImage flit);

// Over all bytes before it, the CRC too.
void add_flit_ecc(FlitImage flit);
// Corrects what can be corrected and returns how many bytes that were; none when a group has more
// than one wrong byte and shows it.
[[nodiscard]] std::optional<unsigned> correct_flit(FlitImage flit);

// The coefficients of g(x), from that of 1 to that of x^7; that of x^8 is 1.
[[nodiscard]] std::array<std::uint8_t, spec::kFlitCrcBytes> flit_crc_generator();
// The powers of `a` in the CRC's field.
[[nodiscard]] std::uint8_t flit_crc_power(unsigned exponent);

}  // namespace peerfab::pcie
