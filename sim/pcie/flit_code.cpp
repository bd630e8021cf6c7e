// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit_code.h"

#include <algorithm>

namespace peerfab::pcie {
namespace {

constexpr unsigned kNonZero = 255;  // elements of GF(2^8) but zero: the powers of a

// GF(2^8) with x^8 = `polynomial`, by tables of powers and logarithms.
class Field {
 public:
  explicit constexpr Field(unsigned polynomial) {
    unsigned value = 1;
    for (unsigned i = 0; i < kNonZero; ++i) {
      power_[i] = static_cast<std::uint8_t>(value);
      log_[value] = static_cast<std::uint8_t>(i);
      value <<= 1;
      if (value > 0xff) value = (value & 0xffU) ^ polynomial;
    }
  }
  [[nodiscard]] constexpr std::uint8_t power(unsigned exponent) const {
    return power_[exponent % kNonZero];
  }
  // Requires a value that is not zero.
  [[nodiscard]] constexpr unsigned log(std::uint8_t value) const { return log_[value]; }
  [[nodiscard]] constexpr std::uint8_t times(std::uint8_t a, std::uint8_t b) const {
    return a == 0 || b == 0 ? std::uint8_t{0} : power(unsigned{log_[a]} + log_[b]);
  }

 private:
  std::array<std::uint8_t, kNonZero> power_{};
  std::array<std::uint8_t, kNonZero + 1> log_{};
};

constexpr Field kCrcField(spec::kFlitCrcFieldPolynomial);
constexpr Field kEccField(spec::kEccFieldPolynomial);

using CrcBytes = std::array<std::uint8_t, spec::kFlitCrcBytes>;

// The product of (x + a^i), without the coefficient of x^8.
constexpr CrcBytes kGenerator = [] {
  std::array<std::uint8_t, spec::kFlitCrcBytes + 1> product{1};
  for (unsigned i = 1; i <= spec::kFlitCrcBytes; ++i) {
    for (unsigned j = i; j > 0; --j) {
      product[j] = static_cast<std::uint8_t>(product[j - 1] ^
                                             kCrcField.times(product[j], kCrcField.power(i)));
    }
    product[0] = kCrcField.times(product[0], kCrcField.power(i));
  }
  CrcBytes generator{};
  std::copy_n(product.begin(), generator.size(), generator.begin());
  return generator;
}();

CrcBytes crc_of(ConstFlitImage flit) {
  CrcBytes remainder{};
  for (unsigned i = spec::kFlitCrcOffset; i-- > 0;) {
    const auto carry = static_cast<std::uint8_t>(std::to_integer<unsigned>(flit[i]) ^
                                                 remainder[spec::kFlitCrcBytes - 1]);
    for (unsigned j = spec::kFlitCrcBytes - 1; j > 0; --j) {
      remainder[j] =
          static_cast<std::uint8_t>(remainder[j - 1] ^ kCrcField.times(carry, kGenerator[j]));
    }
    remainder[0] = kCrcField.times(carry, kGenerator[0]);
  }
  return remainder;
}

// Byte `position` of the information of a group, in the flit.
constexpr unsigned flit_index(unsigned group, unsigned position) {
  return position * spec::kEccGroups + group;
}
// Where the check byte (0) and the parity byte (1) of a group stand: bytes 250 and 253 are those of
// group 1, 251 and 254 of group 2, 252 and 255 of group 0.
constexpr unsigned ecc_index(unsigned group, unsigned which) {
  const unsigned place = (group + spec::kEccGroups - 1) % spec::kEccGroups;
  return spec::kFlitEccOffset + which * spec::kEccGroups + place;
}
constexpr unsigned kCheck = 0;
constexpr unsigned kParity = 1;

struct EccSums {
  std::uint8_t check = 0;   // sum of B_i a^(84 - i)
  std::uint8_t parity = 0;  // sum of B_i
};
// Groups 1 and 2 have 83 bytes and end in a zero that is not sent.
EccSums ecc_sums(ConstFlitImage flit, unsigned group) {
  EccSums sums;
  for (unsigned i = 0; flit_index(group, i) < spec::kFlitEccOffset; ++i) {
    const auto byte = std::to_integer<std::uint8_t>(flit[flit_index(group, i)]);
    sums.parity ^= byte;
    sums.check ^= kEccField.times(byte, kEccField.power(spec::kEccInformationBytes - i));
  }
  return sums;
}

enum class GroupState : std::uint8_t { kSound, kCorrected, kLost };

GroupState correct_group(FlitImage flit, unsigned group) {
  EccSums syndrome = ecc_sums(flit, group);
  std::byte& check_byte = flit[ecc_index(group, kCheck)];
  std::byte& parity_byte = flit[ecc_index(group, kParity)];
  syndrome.check ^= std::to_integer<std::uint8_t>(check_byte);
  syndrome.parity ^= std::to_integer<std::uint8_t>(parity_byte);
  if (syndrome.check == 0 && syndrome.parity == 0) return GroupState::kSound;
  if (syndrome.check == 0) {
    parity_byte ^= static_cast<std::byte>(syndrome.parity);
  } else if (syndrome.parity == 0) {
    check_byte ^= static_cast<std::byte>(syndrome.check);
  } else {
    // A single wrong byte i has check = parity a^(84 - i).
    const unsigned exponent =
        (kEccField.log(syndrome.check) + kNonZero - kEccField.log(syndrome.parity)) % kNonZero;
    if (exponent == 0 || exponent > spec::kEccInformationBytes) return GroupState::kLost;
    const unsigned index = flit_index(group, spec::kEccInformationBytes - exponent);
    if (index >= spec::kFlitEccOffset) return GroupState::kLost;  // the zero that is not sent
    flit[index] ^= static_cast<std::byte>(syndrome.parity);
  }
  return GroupState::kCorrected;
}

}  // namespace

void add_flit_crc(FlitImage flit) {
  const CrcBytes crc = crc_of(flit);
  for (unsigned i = 0; i < crc.size(); ++i) {
    flit[spec::kFlitCrcOffset + i] = static_cast<std::byte>(crc[i]);
  }
}

bool flit_crc_matches(ConstFlitImage flit) {
  const CrcBytes crc = crc_of(flit);
  return std::equal(crc.begin(), crc.end(), flit.begin() + spec::kFlitCrcOffset,
                    [](std::uint8_t a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

void add_flit_ecc(FlitImage flit) {
  for (unsigned group = 0; group < spec::kEccGroups; ++group) {
    const EccSums sums = ecc_sums(flit, group);
    flit[ecc_index(group, kCheck)] = static_cast<std::byte>(sums.check);
    flit[ecc_index(group, kParity)] = static_cast<std::byte>(sums.parity);
  }
}

std::optional<unsigned> correct_flit(FlitImage flit) {
  unsigned corrected = 0;
  bool lost = false;
  for (unsigned group = 0; group < spec::kEccGroups; ++group) {
    const GroupState state = correct_group(flit, group);
    corrected += state == GroupState::kCorrected ? 1 : 0;
    lost = lost || state == GroupState::kLost;
  }
  if (lost) return std::nullopt;
  return corrected;
}

std::array<std::uint8_t, spec::kFlitCrcBytes> flit_crc_generator() { return kGenerator; }
std::uint8_t flit_crc_power(unsigned exponent) { return kCrcField.power(exponent); }

}  // namespace peerfab::pcie
