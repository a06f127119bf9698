/* "Did you mean ...?": the known name that an unknown word was probably meant to be. */
#ifndef WB_BASE_SUGGEST_H
#define WB_BASE_SUGGEST_H

#include <stddef.h>

/* The name with the least edit distance to `word` (at most a third of its length, rounded to nearest), or
 * NULL when none is that near. Names longer than SUGGEST_LENGTH_MAX are passed over. */
const char *suggest_nearest(const char *word, const char *const *names, size_t count);

#define SUGGEST_LENGTH_MAX 64

#endif
