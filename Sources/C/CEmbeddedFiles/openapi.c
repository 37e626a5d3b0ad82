#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "../../Serving/PartyAPI/openapi.yaml"
};

struct embedded_file embedded_openapi_description(void) {
    return (struct embedded_file){"openapi.yaml", bytes, sizeof bytes};
}
