#include "warpbound.h"

const char *wb_version(void) {
    return WB_VERSION;
}
