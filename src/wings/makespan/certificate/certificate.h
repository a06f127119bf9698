/* The file format of certificates, version 1, which docs/makespan.md describes. */
#ifndef WB_MAKESPAN_CERTIFICATE_CERTIFICATE_H
#define WB_MAKESPAN_CERTIFICATE_CERTIFICATE_H

/* Its lines: the first, and what stands before the numbers of the others. */
#define CERTIFICATE_TITLE "warpbound certificate 1"

/* Largest file that is read as a certificate, compressed as it is. */
#define CERTIFICATE_SIZE_MAX ((size_t)512 << 20)
#define CERTIFICATE_WITNESS "witness "
#define CERTIFICATE_TAIL "tail "

#endif
