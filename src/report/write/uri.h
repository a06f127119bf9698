/* Paths as URIs (RFC 3986), as SARIF names files. */
#ifndef WB_REPORT_WRITE_URI_H
#define WB_REPORT_WRITE_URI_H

#include "base/base.h"

/* Appends a path: "file:///..." where it is absolute, else a relative reference. Whatever bytes it has, the
 * result is ASCII: what a URI cannot have is escaped. */
void uri_of_path(struct text *out, const char *path);

#endif
