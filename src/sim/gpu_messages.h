/* What SMs and partitions of the second level send each other. */
#ifndef WB_SIM_GPU_MESSAGES_H
#define WB_SIM_GPU_MESSAGES_H

#include "base/cycles.h"
#include "base/vec.h"

/* A request on its way down. */
struct gpu_request {
    cycles at; /* when it arrives */
    uint64_t address;
    uint32_t sender; /* what in the SM the answer is for */
    uint8_t kind;    /* enum traffic_kind */
};

/* An answer on its way back. */
struct gpu_answer {
    cycles at; /* when it arrives */
    uint32_t sender;
};

/* Between one SM and one partition: requests in the order of their arrival, answers in the order of the
 * service of their requests. */
struct gpu_mailbox {
    VEC(struct gpu_request) requests;
    VEC(struct gpu_answer) answers;
};

#endif
