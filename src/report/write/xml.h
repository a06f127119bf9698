/* Writing of XML and HTML, and of URIs: makes text of any origin safe. */
#ifndef WB_REPORT_WRITE_XML_H
#define WB_REPORT_WRITE_XML_H

#include "base/base.h"

/* Appends text so that it is text in an element, and in an attribute in quotes of either kind: what the
 * languages reserve is escaped, and what is not UTF-8, or a control character that XML does not have, becomes
 * U+FFFD. NULL is "". */
void xml_text(struct text *out, const char *string);

/* The same of the first `length` bytes. */
void xml_text_part(struct text *out, const char *string, size_t length);

/* Appends ` name="value"`. Line breaks and tabs of the value are kept. */
void xml_attribute(struct text *out, const char *name, const char *value);

/* Appends a path as a URI (RFC 3986), as SARIF names files: "file:///..." where it is absolute, else a
 * relative reference. Whatever bytes it has, the result is ASCII: what a URI cannot have is escaped. */
void uri_of_path(struct text *out, const char *path);

#endif
