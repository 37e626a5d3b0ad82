/// Adventures as version 1 stores them; written anew never, since such rows exist.
enum GoldenState {
    /// The journey of ``GoldenLog/journey`` after its ninth step.
    static let journey = #"""
        {"heroes":[{"experience":31,"guarding":false,"health":100,"id":"spouty","left":false,"level":1,\#
        "maximumHealth":110,"player":"00000000-0000-7000-8000-000000000000","potions":3},{"experience":22,\#
        "guarding":false,"health":131,"id":"boulder","left":false,"level":1,"maximumHealth":140,\#
        "player":"00000000-0000-7000-8000-000000000001","potions":2}],"journey":{"place":"old-gate",\#
        "region":"meadow","step":9,"steps":25},"random":"8a8043bceaba925e","sequence":11,"status":"running",\#
        "tick":9,"version":1}
        """#

    /// The fight of ``GoldenLog/fight`` in its twelfth turn.
    static let fight = #"""
        {"bossFight":{"boss":{"attack":44,"health":158,"id":"cinderwing","maximumHealth":210,\#
        "windingUp":false},"turn":{"hero":1,"number":12}},"heroes":[{"experience":0,"guarding":false,\#
        "health":28,"id":"spouty","left":false,"level":1,"maximumHealth":110,\#
        "player":"00000000-0000-7000-8000-000000000000","potions":0},{"experience":0,"guarding":false,\#
        "health":140,"id":"boulder","left":false,"level":1,"maximumHealth":140,\#
        "player":"00000000-0000-7000-8000-000000000001","potions":2}],"random":"81af155173f2454d",\#
        "sequence":31,"status":"running","tick":11,"version":1}
        """#
}
