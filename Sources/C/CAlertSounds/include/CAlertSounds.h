#ifndef C_ALERT_SOUNDS_H
#define C_ALERT_SOUNDS_H

#include <stddef.h>

/// A sound of the app's alerts: a WAV file that is part of the program.
struct alert_sound {
    /// The name of the file, as alerts have it.
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// The sound of that index, for as long as the program runs; NULL from the first index that has none on.
const struct alert_sound *alert_sound_at(size_t index);

#endif
