/* How every JSON document begins: with the name and the version of its format. */
#ifndef WB_REPORT_PARTS_DOCUMENT_H
#define WB_REPORT_PARTS_DOCUMENT_H

#include "report/write/json.h"

/* Opens the object of a document and writes its first members, "format" and "warpbound". The format is
 * "warpbound-NAME", for which docs/schema/NAME.schema.json is the schema. Its version grows when a key goes
 * away or changes what it means; not when there are new keys (docs/json.md). */
void document_open(struct json *json, const char *format, uint32_t version);

#endif
