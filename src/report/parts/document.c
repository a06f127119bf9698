#include "report/parts/document.h"

#include <stdio.h>

/* A version grows when a key goes away or changes what it means; not when there are new keys
 * (docs/json.md). */
static const struct {
    const char *name;
    uint32_t version;
} formats[] = {
    [DOCUMENT_ANALYZE] = {"warpbound-analyze", 1},   [DOCUMENT_STREAM] = {"warpbound-stream", 1},
    [DOCUMENT_SIMULATE] = {"warpbound-simulate", 1}, [DOCUMENT_CACHE] = {"warpbound-cache", 1},
    [DOCUMENT_ORDER] = {"warpbound-order", 1},       [DOCUMENT_OCCUPANCY] = {"warpbound-occupancy", 1},
    [DOCUMENT_PATH] = {"warpbound-path", 1},         [DOCUMENT_REQUESTS] = {"warpbound-requests", 1},
    [DOCUMENT_MAKESPAN] = {"warpbound-makespan", 1}, [DOCUMENT_MESSAGES] = {"warpbound-messages", 1},
    [DOCUMENT_CODE] = {"warpbound-code", 1},         [DOCUMENT_MACHINE] = {"warpbound-machine", 1},
    [DOCUMENT_MACHINES] = {"warpbound-machines", 1}, [DOCUMENT_FIGURES] = {"warpbound-figures", 1},
    [DOCUMENT_SWEEP] = {"warpbound-sweep", 1},
};

void document_open(struct json *json, enum document what) {
    json_open_object(json, NULL);
    json_open_object(json, "format");
    json_put_text(json, "name", formats[what].name);
    json_put_count(json, "version", formats[what].version);
    json_close(json);
    json_put_text(json, "warpbound", wb_version());
}
