// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/tlm_adaptor.h"

namespace peerfab::engine {

tlm::tlm_response_status response_of(CompletionStatus status) {
  switch (status) {
    case CompletionStatus::kSuccessful:
      return tlm::TLM_OK_RESPONSE;
    case CompletionStatus::kUnsupportedRequest:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case CompletionStatus::kCompleterAbort:
    case CompletionStatus::kConfigurationRequestRetry:
      break;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

CompletionStatus status_of(tlm::tlm_response_status response) {
  switch (response) {
    case tlm::TLM_OK_RESPONSE:
      return CompletionStatus::kSuccessful;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return CompletionStatus::kUnsupportedRequest;
    default:
      // Burst and byte enable errors, a target that failed, and one that did not answer at all.
      return CompletionStatus::kCompleterAbort;
  }
}

}  // namespace peerfab::engine
