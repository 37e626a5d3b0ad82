#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char adventure_over[] = {
#embed "../../../Localization/Sounds/adventure-over.wav"
};

static const unsigned char boss_appeared[] = {
#embed "../../../Localization/Sounds/boss-appeared.wav"
};

static const unsigned char boss_defeated[] = {
#embed "../../../Localization/Sounds/boss-defeated.wav"
};

static const unsigned char hero_down[] = {
#embed "../../../Localization/Sounds/hero-down.wav"
};

static const unsigned char hero_in_danger[] = {
#embed "../../../Localization/Sounds/hero-in-danger.wav"
};

static const unsigned char own_turn[] = {
#embed "../../../Localization/Sounds/own-turn.wav"
};

static const unsigned char party_sets_out[] = {
#embed "../../../Localization/Sounds/party-sets-out.wav"
};

static const unsigned char party_wiped[] = {
#embed "../../../Localization/Sounds/party-wiped.wav"
};

static const struct embedded_file sounds[] = {
    {"adventure-over.wav", adventure_over, sizeof adventure_over},
    {"boss-appeared.wav", boss_appeared, sizeof boss_appeared},
    {"boss-defeated.wav", boss_defeated, sizeof boss_defeated},
    {"hero-down.wav", hero_down, sizeof hero_down},
    {"hero-in-danger.wav", hero_in_danger, sizeof hero_in_danger},
    {"own-turn.wav", own_turn, sizeof own_turn},
    {"party-sets-out.wav", party_sets_out, sizeof party_sets_out},
    {"party-wiped.wav", party_wiped, sizeof party_wiped},
};

const struct embedded_file *embedded_alert_sound(size_t index) {
    return index < sizeof sounds / sizeof *sounds ? &sounds[index] : NULL;
}
