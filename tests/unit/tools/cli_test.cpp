// SPDX-License-Identifier: Apache-2.0
// The command line's own decisions; what the commands print is in tests/golden/cli.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/session.h"

namespace peerfab::cli {
namespace {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

std::string drain(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(descriptor);
  return text;
}

// The program in a process of its own, with no models and nothing that could run. Its output is
// small enough for a pipe.
Ran peerfab(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "peerfab");
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  REQUIRE(::pipe(out.data()) == 0);
  REQUIRE(::pipe(err.data()) == 0);
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    const device::ModelRegistry registry;
    const RunVariant none;
    ::_exit(run_cli(static_cast<int>(arguments.size()), arguments.data(), registry, none));
  }
  ::close(out[1]);
  ::close(err[1]);
  Ran ran;
  ran.out = drain(out[0]);
  ran.err = drain(err[0]);
  int status = 0;
  ::waitpid(process, &status, 0);
  REQUIRE(WIFEXITED(status));
  ran.code = WEXITSTATUS(status);
  return ran;
}

}  // namespace

TEST_CASE("help and version go to standard output and are fine") {
  const Ran version = peerfab({"--version"});
  CHECK(version.code == 0);
  CHECK(version.out.substr(0, 8) == "peerfab ");
  CHECK(version.err.empty());
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"--help"},
                                                    {"run", "--help"},
                                                    {"check", "-h"},
                                                    {"topo", "--help"},
                                                    {"models", "--help"},
                                                    {"schema", "--help"},
                                                    {"completion", "--help"}}) {
    const Ran help = peerfab(arguments);
    INFO(arguments.front());
    CHECK(help.code == 0);
    CHECK_FALSE(help.out.empty());
    CHECK(help.err.empty());
  }
  CHECK(peerfab({"--help"}).out.find("Examples:") != std::string::npos);
  CHECK(peerfab({"--help"}).out.find("Exit codes: 0 fine") != std::string::npos);
}

TEST_CASE("a bad command line is bad input") {
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{},
        {"rnu"},
        {"run"},
        {"run", "a", "b"},
        {"run", "a", "--jsno"},
        {"run", "a", "--seed", "-1"},
        {"run", "a", "--seed", "x"},
        {"run", "a", "--seed"},
        {"run", "a", "--seed", "99999999999999999999999"},
        {"run", "a", "--payload", "some"},
        {"run", "a", "--jobs", "0"},
        {"run", "a", "--json"},
        {"check"},
        {"topo"},
        {"topo", "a", "--format", "pdf"},
        {"topo", "a", "--matrix", "--format", "dot"},
        {"schema"},
        {"schema", "plan"},
        {"completion"},
        {"completion", "tcsh"},
        {"models", "a", "b"},
        {"--nonsense"}}) {
    const Ran ran = peerfab(arguments);
    std::string line;
    for (const char* argument : arguments) line += std::string(argument) + " ";
    INFO(line);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK_FALSE(ran.err.empty());
  }
}

TEST_CASE("files that do not exist are bad input") {
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{"run", "/no/such.yaml"},
        {"check", "/no/such.yaml"},
        {"topo", "/no/such.yaml"},
        {"check", "/"}}) {
    const Ran ran = peerfab(arguments);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("error[") != std::string::npos);
  }
}

TEST_CASE("unknown models suggest the nearest") {
  const Ran ran = peerfab({"models", "gpu"});
  CHECK(ran.code == 2);
  CHECK(ran.err == "peerfab: no model is called 'gpu': `peerfab models` lists them\n");
}

TEST_CASE("schemas are printed") {
  for (const char* which : {"scenario", "result"}) {
    const Ran ran = peerfab({"schema", which});
    CHECK(ran.code == 0);
    CHECK(ran.out.find("\"$schema\"") != std::string::npos);
  }
}

}  // namespace peerfab::cli
