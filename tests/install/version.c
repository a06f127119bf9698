/* A program of somebody else's: prints the versions of the library and of the header, and where it has
 * makespans what those were built without. */
#include <stdio.h>
#include <warpbound.h>
#if __has_include(<warpbound_makespan.h>)
#    include <warpbound_makespan.h>
#endif

int main(void) {
    printf("%s %d.%d.%d", wb_version(), WB_VERSION_MAJOR, WB_VERSION_MINOR, WB_VERSION_PATCH);
#if __has_include(<warpbound_makespan.h>)
    for (size_t i = 0; wb_makespan_method_name(i) != NULL; i++)
        if (wb_makespan_method_missing(i) != NULL) printf(" %s", wb_makespan_method_missing(i));
#endif
    printf("\n");
    return 0;
}
