// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/worker_channel.h"

#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/catch.h"

namespace peerfab::scenario::test {

namespace {

// What a sender writes into a pipe.
template <typename Function>
std::string sent(Function function) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  WorkerSender sender(ends[1]);
  function(sender);
  ::close(ends[1]);
  std::string bytes;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  return bytes;
}

}  // namespace

TEST_CASE("messages arrive whole in pieces of any size") {
  const std::string bytes = sent([](WorkerSender& sender) {
    CHECK(sender.send_progress({Bytes(1), Bytes(2), Picoseconds(3)}));
    CHECK(sender.send_progress({Bytes(4), Bytes(5), Picoseconds(6)}));
    CHECK(sender.send_result("{\"a\": 1}"));
  });
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    WorkerReceiver receiver;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      CHECK_FALSE(receiver.result());
      receiver.feed(std::string_view(bytes).substr(at, piece));
    }
    REQUIRE(receiver.result());
    CHECK(*receiver.result() == "{\"a\": 1}");
    CHECK(receiver.progress().done == Bytes(4));
    CHECK(receiver.progress().total == Bytes(5));
    CHECK(receiver.progress().time == Picoseconds(6));
  }
}

TEST_CASE("half a result is none") {
  std::string bytes = sent([](WorkerSender& sender) { sender.send_result("0123456789"); });
  bytes.pop_back();
  WorkerReceiver receiver;
  receiver.feed(bytes);
  CHECK_FALSE(receiver.result());
}

}  // namespace peerfab::scenario::test
