#include "report/parts/document.h"

void document_open(struct json *json, const char *format, uint32_t version) {
    json_open_object(json, NULL);
    json_open_object(json, "format");
    json_put_text(json, "name", format);
    json_put_count(json, "version", version);
    json_close(json);
    json_put_text(json, "warpbound", wb_version());
}
