/* Parts that several JSON reports have in common; docs/json.md documents every key. */
#ifndef WB_REPORT_WRITE_JSON_H
#define WB_REPORT_WRITE_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "machine/machine.h"

/* A report is built so that it is whole or nothing: what cannot be made is NULL (as everywhere in jansson),
 * and NULL passes upwards, through json_pack and the two functions below, to report_take_json, which says
 * that memory is exhausted. */

/* Sets a key of *object to `value`, which is consumed; when one of the two is NULL, or memory is exhausted,
 * *object is freed and becomes NULL. */
void json_put(json_t **object, const char *key, json_t *value);

/* Appends `value` to *array, likewise. */
void json_add(json_t **array, json_t *value);

/* Sets all keys of another object, which is consumed, likewise. */
void json_put_all(json_t **object, json_t *keys);

/* Sets "source_file" and "source_line", unless the file is NULL. */
void json_put_source(json_t **object, const char *file, uint32_t line);

/* A text that comes from outside, such as the name of a file: what is not UTF-8 in it becomes U+FFFD. JSON's
 * null for NULL. */
json_t *json_text(const char *text);

/* Writes the value, which is consumed, as text whatever the locale; `flags` are those of json_dumps. Where it
 * is NULL, or memory is exhausted, the text has failed. */
void json_write(json_t *value, size_t flags, struct text *out);

/* Prints a member of an object that is written as it is made, with a comma behind it; the value is consumed.
 */
void json_write_member(struct text *out, const char *name, json_t *value);

/* Three numbers as an array: a place in a grid, or a size. */
json_t *json_three_numbers(const uint32_t numbers[3]);

/* The machine: name, clock, and what issue and latencies depend on. */
json_t *json_machine(const struct wb_machine *machine);

/* What a simulation on the machine has fetched of instructions, where fetch can stall. */
void json_put_fetches(json_t **object, const struct wb_machine *machine, uint64_t fetches, uint64_t misses);

#endif
