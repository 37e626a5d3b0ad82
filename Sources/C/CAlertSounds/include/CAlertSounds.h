#ifndef C_ALERT_SOUNDS_H
#define C_ALERT_SOUNDS_H

#include <stddef.h>

/// A sound of the app's alerts: a WAV file that is embedded in the program.
struct alert_sound {
    /// The name of the file, as in alerts.
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// Returns the sound at an index, in static storage; NULL if the index is out of range.
const struct alert_sound *alert_sound_at(size_t index);

#endif
