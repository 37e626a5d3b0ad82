#ifndef C_EMBEDDED_FILES_H
#define C_EMBEDDED_FILES_H

#include <stddef.h>

/// A file of the repository that is embedded in the program, in static storage.
///
/// The C compiler embeds large files in no time. As a Swift array literal, every 10 KB cost a second of each build.
struct embedded_file {
    /// The file's name without its folder.
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// Returns the app's String Catalog.
struct embedded_file embedded_string_catalog(void);

/// Returns the description of the REST API, in YAML.
struct embedded_file embedded_openapi_description(void);

/// Returns the alert sound at an index, a WAV file; NULL if the index is out of range.
const struct embedded_file *embedded_alert_sound(size_t index);

#endif
