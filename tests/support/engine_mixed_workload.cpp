// SPDX-License-Identifier: Apache-2.0
#include "tests/support/engine_mixed_workload.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <systemc>
#include <vector>

#include "sim/base/rng.h"
#include "sim/engine/engine.h"

namespace peerfab::test {
namespace {

using engine::to_sc_time;

std::uint64_t kernel_time() { return sc_core::sc_time_stamp().value(); }

// What happens, whoever runs it. The two backends say how a token travels and how a process wakes.
class Network {
 public:
  explicit Network(const MixedWorkload& workload)
      : workload_(workload), rng_(workload.seed), left_(workload.events) {}
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // A token arrives at a node at `at`, now or later.
  virtual void inject(unsigned node, std::uint64_t at) = 0;
  // From a node: the process's event is notified at `at`, now or later.
  virtual void wake(unsigned process, std::uint64_t at) = 0;
  virtual void run(std::uint64_t until) = 0;
  virtual void run_to_the_end() = 0;

  void token_arrives(unsigned node, std::uint64_t now);
  void process_runs(unsigned process);
  std::string run_all();

  sc_core::sc_event& event(unsigned process) { return *events_[process]; }
  // A time that nothing else has, `typical` away or so, and after `now`.
  std::uint64_t own_time(std::uint64_t now, std::uint64_t typical) {
    std::uint64_t at = now + 1 + (rng_.below(5) == 0 ? rng_.below(3) : rng_.below(2 * typical));
    while (!taken_.insert(at).second) ++at;
    return at;
  }

 protected:
  void add_processes();
  [[nodiscard]] const MixedWorkload& workload() const { return workload_; }

 private:
  struct Process : sc_core::sc_module {
    SC_HAS_PROCESS(Process);
    Process(const sc_core::sc_module_name& name, Network& owner, unsigned number)
        : sc_module(name), network(owner), index(number) {
      SC_THREAD(work);
    }
    void work() { network.process_runs(index); }
    Network& network;
    unsigned index;
  };

  void write(char what, unsigned who, std::uint64_t when) {
    log_ << what << who << '@' << when << '\n';
  }
  bool spend() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  MixedWorkload workload_;
  Rng rng_;
  unsigned left_;
  std::set<std::uint64_t> taken_;
  std::ostringstream log_;
  std::vector<std::unique_ptr<sc_core::sc_event>> events_;
  std::vector<std::unique_ptr<Process>> processes_;
};

void Network::add_processes() {
  for (unsigned i = 0; i < workload_.processes; ++i) {
    events_.push_back(std::make_unique<sc_core::sc_event>());
    processes_.push_back(
        std::make_unique<Process>(("process" + std::to_string(i)).c_str(), *this, i));
  }
}

void Network::token_arrives(unsigned node, std::uint64_t now) {
  write('n', node, now);
  if (!spend()) return;
  const auto other_node = [this] { return static_cast<unsigned>(rng_.below(workload_.nodes)); };
  const auto some_process = [this] {
    return static_cast<unsigned>(rng_.below(workload_.processes));
  };
  switch (rng_.below(10)) {
    case 0:  // on at once
      inject(other_node(), now);
      break;
    case 1:  // a process at once
      wake(some_process(), now);
      break;
    case 2:
      wake(some_process(), own_time(now, workload_.node_delay));
      break;
    case 3:  // and both, in either order
      wake(some_process(), own_time(now, workload_.process_delay));
      inject(other_node(), own_time(now, workload_.node_delay));
      break;
    case 4:
      inject(other_node(), own_time(now, workload_.node_delay));
      wake(some_process(), own_time(now, workload_.node_delay));
      break;
    case 5:
      inject(other_node(), own_time(now, workload_.node_delay));
      inject(other_node(), own_time(now, workload_.node_delay));
      break;
    default:
      inject(other_node(), own_time(now, workload_.node_delay));
  }
}

void Network::process_runs(unsigned process) {
  // The first turn is in the initialisation phase, where all processes run at once: each leaves for
  // a time of its own, which depends on nothing.
  Rng own(workload_.seed * 31 + process);
  if (own.below(2) == 0) {
    const std::uint64_t at = 1'000'003 * (process + 1);
    taken_.insert(at);
    inject(process % workload_.nodes, at);
  }
  const std::uint64_t first = 7 * (process + 1);
  taken_.insert(first);
  sc_core::wait(to_sc_time(Picoseconds(first)));
  for (;;) {
    write('p', process, kernel_time());
    if (!spend()) return;
    // Runnable at this time for a few deltas: nobody may go ahead meanwhile.
    for (std::uint64_t deltas = rng_.below(4); deltas > 0; --deltas) {
      sc_core::wait(sc_core::SC_ZERO_TIME);
    }
    const std::uint64_t now = kernel_time();
    const auto some_node = [this] { return static_cast<unsigned>(rng_.below(workload_.nodes)); };
    switch (rng_.below(5)) {
      case 0:
        break;
      case 1:  // a token at once
        inject(some_node(), now);
        break;
      case 2:
        inject(some_node(), own_time(now, workload_.process_delay));
        inject(some_node(), own_time(now, workload_.node_delay));
        break;
      default:
        inject(some_node(), own_time(now, workload_.node_delay));
    }
    switch (rng_.below(3)) {
      case 0:
        sc_core::wait(to_sc_time(Picoseconds(own_time(now, workload_.process_delay) - now)));
        break;
      case 1:
        sc_core::wait(to_sc_time(Picoseconds(own_time(now, workload_.process_delay) - now)),
                      event(process));
        break;
      default:
        sc_core::wait(event(process));
    }
  }
}

std::string Network::run_all() {
  Rng windows(workload_.seed + 1);
  std::uint64_t time = 0;
  for (int i = 0; workload_.window != 0 && i < 4000 && left_ > 0; ++i) {
    time += 1 + windows.below(2 * workload_.window);
    // Now and then a window that ends on an event: it belongs to it.
    if (const auto next = taken_.upper_bound(time); windows.below(3) == 0 && next != taken_.end()) {
      time = *next;
    }
    run(time);
    write('w', 0, time);
    if (windows.below(4) == 0) run(time);  // nothing more is due
    // Between two windows main() itself feeds the fabric.
    if (windows.below(3) == 0) {
      inject(static_cast<unsigned>(windows.below(workload_.nodes)),
             own_time(time, workload_.node_delay));
    }
  }
  run_to_the_end();
  write('e', 0, 0);
  return log_.str();
}

// --- The network inside the engine ---------------------------------------------------------------

class EngineNetwork final : public Network {
 public:
  explicit EngineNetwork(const MixedWorkload& workload)
      : Network(workload), engine_("engine"), stops_(workload.seed + 2) {
    for (unsigned i = 0; i < workload.nodes; ++i) {
      auto node = std::make_unique<Node>();
      node->network = this;
      node->index = i;
      node->actor = engine_.scheduler().add_actor(node.get(), &EngineNetwork::on_token);
      nodes_.push_back(std::move(node));
    }
    if (workload.quantum != 0) engine_.set_quantum(Picoseconds(workload.quantum));
    add_processes();
  }

  void inject(unsigned node, std::uint64_t at) override {
    Node& target = *nodes_[node];
    target.tokens.insert(at);
    const Picoseconds next(*target.tokens.begin());
    if (in_handler_) {
      engine_.scheduler().schedule(target.actor, next);
    } else {
      engine_.schedule_from_systemc(target.actor, next);
    }
  }
  void wake(unsigned process, std::uint64_t at) override {
    engine_.notify_at(event(process), Picoseconds(at));
  }
  void run(std::uint64_t until) override {
    do {
      engine_.run(Picoseconds(until));
    } while (engine_.stopped());
  }
  void run_to_the_end() override {
    do {
      engine_.run();
    } while (engine_.stopped());
  }
  // Nothing may be left behind, neither in the fabric nor for SystemC.
  [[nodiscard]] bool idle() const {
    return !sc_core::sc_pending_activity() &&
           const_cast<engine::Engine&>(engine_).scheduler().next_time() == Picoseconds::max();
  }

 private:
  struct Node {
    EngineNetwork* network = nullptr;
    unsigned index = 0;
    engine::ActorId actor = 0;
    std::multiset<std::uint64_t> tokens;
  };
  static void on_token(void* self, Picoseconds now) {
    Node& node = *static_cast<Node*>(self);
    EngineNetwork& network = *node.network;
    network.in_handler_ = true;
    node.tokens.erase(node.tokens.begin());
    network.token_arrives(node.index, now.count());
    if (!node.tokens.empty()) {
      network.engine_.scheduler().schedule(node.actor, Picoseconds(*node.tokens.begin()));
    }
    network.in_handler_ = false;
    if (network.workload().stops && network.stops_.below(20) == 0) network.engine_.stop();
  }

  engine::Engine engine_;
  Rng stops_;
  std::vector<std::unique_ptr<Node>> nodes_;
  bool in_handler_ = false;
};

// --- The network as plain SystemC ----------------------------------------------------------------

class PlainNetwork final : public Network {
 public:
  explicit PlainNetwork(const MixedWorkload& workload) : Network(workload) {
    for (unsigned i = 0; i < workload.nodes; ++i) {
      nodes_.push_back(std::make_unique<Node>(("node" + std::to_string(i)).c_str(), *this, i));
    }
    add_processes();
  }

  void inject(unsigned node, std::uint64_t at) override {
    Node& target = *nodes_[node];
    target.tokens.insert(at);
    target.notify();
  }
  void wake(unsigned process, std::uint64_t at) override {
    event(process).notify(to_sc_time(Picoseconds(at - kernel_time())));
  }
  void run(std::uint64_t until) override {
    if (until > kernel_time()) {
      sc_core::sc_start(to_sc_time(Picoseconds(until - kernel_time())));
    }
    // What is due at the end of the window belongs to it.
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void run_to_the_end() override { sc_core::sc_start(); }

 private:
  struct Node : sc_core::sc_module {
    SC_HAS_PROCESS(Node);
    Node(const sc_core::sc_module_name& name, PlainNetwork& owner, unsigned number)
        : sc_module(name), network(owner), index(number) {
      SC_METHOD(arrive);
      sensitive << arrival;
      dont_initialize();
    }
    // An earlier notification takes the place of a later one.
    void notify() { arrival.notify(to_sc_time(Picoseconds(*tokens.begin() - kernel_time()))); }
    void arrive() {
      tokens.erase(tokens.begin());
      network.token_arrives(index, kernel_time());
      if (!tokens.empty()) notify();
    }
    PlainNetwork& network;
    unsigned index;
    sc_core::sc_event arrival;
    std::multiset<std::uint64_t> tokens;
  };
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace

MixedWorkload random_workload(std::uint64_t seed) {
  Rng rng(seed ^ 0x5eed);
  MixedWorkload workload;
  workload.seed = seed;
  workload.nodes = static_cast<unsigned>(rng.between(1, 12));
  workload.processes = static_cast<unsigned>(rng.between(1, 6));
  // From fabrics that are much busier than the processes to the other way round.
  workload.node_delay = std::uint64_t{1} << rng.between(2, 18);
  workload.process_delay = std::uint64_t{1} << rng.between(2, 22);
  if (rng.below(2) == 0) workload.window = std::uint64_t{1} << rng.between(6, 20);
  if (rng.below(4) == 0) workload.quantum = std::uint64_t{1} << rng.between(0, 18);
  workload.stops = rng.below(3) == 0;
  return workload;
}

std::string run_in_engine(const MixedWorkload& workload) {
  EngineNetwork network(workload);
  std::string log = network.run_all();
  if (!network.idle()) log += "something is left pending\n";
  if (sc_core::sc_report_handler::get_count(sc_core::SC_WARNING) != 0) log += "SystemC warned\n";
  return log;
}

std::string run_in_plain_systemc(const MixedWorkload& workload) {
  return PlainNetwork(workload).run_all();
}

}  // namespace peerfab::test
