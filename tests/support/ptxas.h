/* NVIDIA's assembler, where it is installed: tests that need it say that they are skipped where it is not. */
#ifndef WB_TESTS_PTXAS_H
#define WB_TESTS_PTXAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of ptxas: $WB_PTXAS, in $PATH, or in /usr/local/cuda/bin; NULL where there is none. */
const char *ptxas_find(void);

/* Compiles PTX text for an architecture (75, 80, ...) and an optimisation level (0 to 3), products and sums
 * not joined. False when ptxas refuses it, with its messages on standard error. The caller frees *cubin. */
bool ptxas_compile(const char *ptxas, const char *ptx, uint32_t sm, uint32_t level, uint8_t **cubin,
                   size_t *size);

#endif
