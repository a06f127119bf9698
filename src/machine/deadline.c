/* Deadlines given in cycles or in time. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "machine/machine.h"

/* Units of time and the power of ten of their parts of a second. */
static const struct {
    const char *name;
    uint32_t places;
} time_units[] = {{"s", 0}, {"ms", 3}, {"us", 6}, {"ns", 9}};

static wb_status bad_deadline(const char *deadline, wb_diagnostics *diagnostics, const char *problem) {
    diagnose(diagnostics, SEVERITY_ERROR, deadline, "%s", problem);
    return WB_ERR_INPUT;
}

/* floor(time * clock), exactly: time is digits / 10^(scale + places) seconds. At most 2^64 * 10^11 fits 128
 * bits. False when the result does not fit 64 bits. */
static bool time_to_cycles(struct decimal time, uint32_t places, double clock_mhz, uint64_t *result) {
    uint64_t hertz = (uint64_t)llround(clock_mhz * 1e6);
    unsigned __int128 product = (unsigned __int128)time.digits * hertz;
    product /= number_power_of_ten(time.scale + places);
    if (product >= CYCLES_SATURATED) return false;
    *result = (uint64_t)product;
    return true;
}

wb_status wb_deadline_cycles(const wb_machine *machine, const char *deadline, wb_diagnostics *diagnostics,
                             uint64_t *deadline_cycles) {
    size_t length = strspn(deadline, "0123456789.");
    const char *unit = deadline + length;
    unit += strspn(unit, " ");
    struct decimal number;
    if (!number_decimal(deadline, length, &number))
        return bad_deadline(deadline, diagnostics,
                            "expected a deadline such as '4500', '4500 cycles', '100us', '1.5ms' or '2s'");
    if (unit[0] == '\0' || strcmp(unit, "cycles") == 0) {
        if (number.scale != 0 || number.digits == CYCLES_SATURATED)
            return bad_deadline(deadline, diagnostics, "expected a whole number of cycles, below 2^64 - 1");
        *deadline_cycles = number.digits;
        return WB_OK;
    }
    for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++) {
        if (strcmp(unit, time_units[i].name) != 0) continue;
        if (time_to_cycles(number, time_units[i].places, machine->clock_mhz, deadline_cycles)) return WB_OK;
        return bad_deadline(deadline, diagnostics, "more cycles than 64 bits can count");
    }
    return bad_deadline(deadline, diagnostics, "unknown unit; expected cycles, ns, us, ms or s");
}
