// SPDX-License-Identifier: Apache-2.0
// SystemC models as somebody else would write them: nothing here knows this project.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

namespace outsider {

// A memory that takes its time inside the call, in the simplest way: wait(), then do it.
class WaitingMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<WaitingMemory> socket;

  WaitingMemory(const sc_core::sc_module_name& name, std::size_t bytes,
                const sc_core::sc_time& read_time, const sc_core::sc_time& write_time)
      : sc_module(name),
        socket("socket"),
        data(bytes),
        read_time_(read_time),
        write_time_(write_time) {
    socket.register_b_transport(this, &WaitingMemory::b_transport);
    socket.register_transport_dbg(this, &WaitingMemory::transport_dbg);
  }

  std::vector<unsigned char> data;
  unsigned calls = 0;
  unsigned now_inside = 0;
  unsigned most_inside = 0;
  tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;  // to everything within its range
  std::function<void(tlm::tlm_generic_payload&)> look;     // at each payload

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++calls;
    most_inside = std::max(most_inside, ++now_inside);
    if (look) look(payload);
    sc_core::wait(delay + (payload.is_write() ? write_time_ : read_time_));
    delay = sc_core::SC_ZERO_TIME;
    --now_inside;
    if (payload.get_address() + payload.get_data_length() > data.size()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (answer != tlm::TLM_OK_RESPONSE) {
      payload.set_response_status(answer);
      return;
    }
    move(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() + payload.get_data_length() > data.size()) return 0;
    move(payload);
    return payload.get_data_length();
  }
  void move(tlm::tlm_generic_payload& payload) {
    unsigned char* const here = data.data() + payload.get_address();
    if (payload.is_write()) {
      std::memcpy(here, payload.get_data_ptr(), payload.get_data_length());
    } else {
      std::memcpy(payload.get_data_ptr(), here, payload.get_data_length());
    }
  }

  sc_core::sc_time read_time_;
  sc_core::sc_time write_time_;
};

// A memory in the loosely timed style: it never waits but says how long it would take, and offers
// its array for direct access.
class DirectMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<DirectMemory> socket;

  DirectMemory(const sc_core::sc_module_name& name, std::size_t bytes,
               const sc_core::sc_time& call_time, const sc_core::sc_time& direct_time)
      : sc_module(name),
        socket("socket"),
        data(bytes),
        call_time_(call_time),
        direct_time_(direct_time) {
    socket.register_b_transport(this, &DirectMemory::b_transport);
    socket.register_get_direct_mem_ptr(this, &DirectMemory::get_direct_mem_ptr);
  }
  void revoke(std::size_t first, std::size_t last) {
    socket->invalidate_direct_mem_ptr(first, last);
  }

  std::vector<unsigned char> data;
  unsigned calls = 0;
  bool offers_direct_access = true;
  bool read_only = false;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++calls;
    unsigned char* const here = data.data() + payload.get_address();
    if (payload.is_write()) {
      std::memcpy(here, payload.get_data_ptr(), payload.get_data_length());
    } else {
      std::memcpy(payload.get_data_ptr(), here, payload.get_data_length());
    }
    delay += call_time_;
    payload.set_dmi_allowed(offers_direct_access);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    if (!offers_direct_access) return false;
    dmi.set_dmi_ptr(data.data());
    dmi.set_start_address(0);
    dmi.set_end_address(data.size() - 1);
    dmi.set_read_latency(direct_time_);
    dmi.set_write_latency(direct_time_);
    if (read_only) {
      dmi.allow_read();
    } else {
      dmi.allow_read_write();
    }
    return true;
  }

  sc_core::sc_time call_time_;
  sc_core::sc_time direct_time_;
};

// Something with a program that reads and writes over its socket.
class Core : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Core> socket;
  using Program = std::function<void(Core&)>;

  SC_HAS_PROCESS(Core);
  Core(const sc_core::sc_module_name& name, Program program)
      : sc_module(name), socket("socket"), program_(std::move(program)) {
    SC_THREAD(run);
  }

  tlm::tlm_response_status write(sc_dt::uint64 address, std::vector<unsigned char> bytes) {
    return transfer(tlm::TLM_WRITE_COMMAND, address, bytes.data(), bytes.size());
  }
  tlm::tlm_response_status read(sc_dt::uint64 address, std::vector<unsigned char>& bytes) {
    return transfer(tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size());
  }

  bool finished = false;

 private:
  void run() {
    program_(*this);
    finished = true;
  }
  tlm::tlm_response_status transfer(tlm::tlm_command command, sc_dt::uint64 address,
                                    unsigned char* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    sc_core::wait(delay);
    return payload.get_response_status();
  }

  Program program_;
};

}  // namespace outsider
