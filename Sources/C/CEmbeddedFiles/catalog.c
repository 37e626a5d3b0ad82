#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "../../../Localization/Localizable.xcstrings"
};

struct embedded_file embedded_string_catalog(void) {
    return (struct embedded_file){"Localizable.xcstrings", bytes, sizeof bytes};
}
