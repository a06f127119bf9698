/* Whether this is a build with AddressSanitizer: some ten times slower, and unable to do without memory. */
#ifndef TEST_ADDRESS_SANITIZER_H
#define TEST_ADDRESS_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#    define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define ADDRESS_SANITIZER 1
#    endif
#endif
#ifndef ADDRESS_SANITIZER
#    define ADDRESS_SANITIZER 0
#endif

#endif
