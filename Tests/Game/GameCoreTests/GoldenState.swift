/// Adventures in their stored form.
///
/// Never re-record them: adventures stored in this form must stay readable.
enum GoldenState {
    /// A journey during an encounter, after one beat of its story.
    static let journey = """
        2 journey running
        tick 20 sequence 41 rules 2 random 8a8043bceaba925e
        region forest location hollow-oak step 20/61 danger 118 beats 1 foe wolves 20/44
        hero spouty player 00000000-0000-7000-8000-000000000000 level 1 experience 131 health 76/112 potions 3
        hero boulder player 00000000-0000-7000-8000-000000000001 level 3 experience 322 health 0/147 potions 0
        hero hoot player 00000000-0000-7000-8000-000000000002 level 1 experience 16 health 105/105 potions 2 left
        """

    /// A fight that uses every word of the form.
    static let fight = """
        2 bossFight running
        tick 37 sequence 96 rules 2 random 81af155173f2454d
        boss stonejaw health 61/405 attack 63 65 phase 3 announced crush 1 weakened 2 exposed 3
        turn 38 hero 0
        hero hoot player 00000000-0000-7000-8000-000000000000 level 3 experience 345 health 60/117 potions 1 \
        cooldown 2 policy guard guarding
        hero bamboo player 00000000-0000-7000-8000-000000000001 level 1 experience 20 health 128/128 potions 2 \
        policy skip guarding challenging
        hero inky player 00000000-0000-7000-8000-000000000002 level 1 experience 0 health 0/106 potions 0 left
        """

    /// A fight before its start.
    static let ready = """
        2 bossFight ready
        tick 0 sequence 0 rules 2 random 00000000000007e8
        boss glitch health 250/250 attack 34 49
        hero zippy player 00000000-0000-7000-8000-000000000000 level 1 experience 0 health 95/95 potions 2
        hero boulder player 00000000-0000-7000-8000-000000000001 level 1 experience 0 health 132/132 potions 2
        """

    /// A fight in the boss's turn, after the boss announced its heavy attack.
    static let announced = """
        2 bossFight running
        tick 5 sequence 18 rules 2 random 00000000000007e8
        boss glitch health 180/250 attack 34 49 announced heavyAttack
        turn 6 boss
        hero zippy player 00000000-0000-7000-8000-000000000000 level 1 experience 0 health 95/95 potions 2
        hero boulder player 00000000-0000-7000-8000-000000000001 level 1 experience 0 health 132/132 potions 2
        """

    /// A journey that has ended.
    static let ended = """
        2 journey ended partyWiped
        tick 12 sequence 30 rules 3 random ffffffffffffffff
        region meadow location windmill step 12/40 danger 83
        hero zippy player 00000000-0000-7000-8000-000000000000 level 20 experience 19000 health 0/203 potions 0
        """

    static let all = [journey, fight, ready, announced, ended]
}
