#include "wings/gpgpusim/machine/model.h"

#include "machine/machine.h"

#define COLLECTORS_FIELD(enumerator, name, suffix)                                                           \
    NUMBER_ROW(machine_gpgpusim, "collectors_" #suffix, collectors[GPGPUSIM_##enumerator], 0,                \
               GPGPUSIM_COLLECTORS_MAX),
#define ID_OC_FIELD(enumerator, name, suffix)                                                                \
    NUMBER_ROW(machine_gpgpusim, "id_oc_" #suffix, id_oc[GPGPUSIM_##enumerator], 1, GPGPUSIM_WIDTH_MAX),

/* clang-format off */
const struct field machine_gpgpusim_fields[] = {
    NUMBER_ROW(machine_gpgpusim, "generic_collectors", generic_collectors, 1, GPGPUSIM_COLLECTORS_MAX),
    NUMBER_ROW(machine_gpgpusim, "generic_ports", generic_ports, 1, GPGPUSIM_COLLECTORS_MAX),
    GPGPUSIM_UNIT_TABLE(COLLECTORS_FIELD)
    GPGPUSIM_UNIT_TABLE(ID_OC_FIELD)
    NUMBER_ROW(machine_gpgpusim, "register_banks", register_banks, 1, GPGPUSIM_BANKS_MAX),
    NUMBER_ROW(machine_gpgpusim, "collector_steps", collector_steps, 1, 64),
    NUMBER_ROW(machine_gpgpusim, "result_buses", result_buses, 1, GPGPUSIM_WIDTH_MAX),
    NUMBER_ROW(machine_gpgpusim, "store_banks", store_banks, 1, GPGPUSIM_STORE_BANKS_MAX),
    NUMBER_ROW(machine_gpgpusim, "store_ack_delay", store_ack_delay, 1, MACHINE_TIME_MAX),
    {0},
};
/* clang-format on */

void machine_gpgpusim_defaults(struct machine_gpgpusim *gpgpusim) {
    *gpgpusim = (struct machine_gpgpusim){
        .generic_collectors = 16,
        .generic_ports = 16,
        .collectors = {[GPGPUSIM_SP] = 4, [GPGPUSIM_SFU] = 4, [GPGPUSIM_TENSOR] = 4, [GPGPUSIM_LSU] = 2},
        .id_oc = {1, 1, 1, 1, 1, 1, 1},
        .register_banks = 32,
        .collector_steps = 4,
        .result_buses = 2,
        .store_banks = 128,
        .store_ack_delay = 402,
    };
    gpgpusim->id_oc[GPGPUSIM_MEM] = 4;
}
