/* How a library function says that it could not do what was asked: a value, never an exit. */
#ifndef WB_BASE_STATUS_H
#define WB_BASE_STATUS_H

#include "warpbound.h"

/* Returns the status of `call` from the enclosing function unless it is WB_OK. */
#define WB_TRY(call)                                                                                         \
    do {                                                                                                     \
        wb_status wb_try_status = (call);                                                                    \
        if (wb_try_status != WB_OK) return wb_try_status;                                                    \
    } while (0)

#endif
