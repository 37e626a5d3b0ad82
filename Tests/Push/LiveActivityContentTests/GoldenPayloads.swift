/// The expected bytes of each kind of payload, which released apps decode.
enum GoldenPayloads {
    static let update = #"""
        {"aps":{"timestamp":1790000000,"event":"update","stale-date":1790000120,"relevance-score":75,"content-state":{\#
        "boss":{"avatar":"🐉","healthLevel":0.431,"name":"Smoulder","phase":"windingUp"},"currentHealthLevel":0.625,\#
        "event":{"args":["Ember","12"],"key":"The boss hit %1$@ for %2$@."},\#
        "eventDescription":"The boss hit Ember for 12.",\#
        "heroes":[{"avatar":"🐳","healthLevel":0.625,"isDown":false,"name":"Spouty"},\#
        {"avatar":"🦊","healthLevel":0,"isDown":true,"name":"Ember"}],"sequence":31,"tick":6,\#
        "turn":{"endsEpochSeconds":1790000020,"heroIndex":0,"number":7}}}}
        """#

    static let updateWithAlert = #"""
        {"aps":{"timestamp":1790000000,"event":"update","stale-date":1790000120,"relevance-score":100,\#
        "alert":{"title":{"loc-key":"%@ is down!","loc-args":["Sp\"ou\\ty"]},\#
        "body":{"loc-key":"Rest, and set out again."},"sound":"hero-down.wav"},"content-state":{\#
        "boss":{"avatar":"🐉","healthLevel":0.431,"name":"Smoulder","phase":"windingUp"},"currentHealthLevel":0.625,\#
        "event":{"args":["Ember","12"],"key":"The boss hit %1$@ for %2$@."},\#
        "eventDescription":"The boss hit Ember for 12.",\#
        "heroes":[{"avatar":"🐳","healthLevel":0.625,"isDown":false,"name":"Spouty"},\#
        {"avatar":"🦊","healthLevel":0,"isDown":true,"name":"Ember"}],"sequence":31,"tick":6,\#
        "turn":{"endsEpochSeconds":1790000020,"heroIndex":0,"number":7}}}}
        """#

    static let start = #"""
        {"aps":{"timestamp":1790000000,"event":"start","input-push-token":1,"attributes-type":"AdventureAttributes",\#
        "attributes":{"adventureID":"0198a1b2-c3d4-7000-8000-00000000abcd",\#
        "hero":{"avatar":"🐳","battleCode":"game:///spouty/battle","bio":"Sings.","exp":320,"healthLevel":0.625,\#
        "healthRecoveryRatePerHour":0.25,"heroType":"Healer","level":3,"name":"Spouty","power":15,\#
        "url":"game:///spouty"},"heroAvatar":"🐳","heroName":"Spouty",\#
        "partyName":"The \"Würfel\" party"},"stale-date":1790000120,"relevance-score":75,\#
        "alert":{"title":{"loc-key":"%@ is down!","loc-args":["Sp\"ou\\ty"]},\#
        "body":{"loc-key":"Rest, and set out again."},"sound":"hero-down.wav"},"content-state":{\#
        "boss":{"avatar":"🐉","healthLevel":0.431,"name":"Smoulder","phase":"windingUp"},"currentHealthLevel":0.625,\#
        "event":{"args":["Ember","12"],"key":"The boss hit %1$@ for %2$@."},\#
        "eventDescription":"The boss hit Ember for 12.",\#
        "heroes":[{"avatar":"🐳","healthLevel":0.625,"isDown":false,"name":"Spouty"},\#
        {"avatar":"🦊","healthLevel":0,"isDown":true,"name":"Ember"}],"sequence":31,"tick":6,\#
        "turn":{"endsEpochSeconds":1790000020,"heroIndex":0,"number":7}}}}
        """#

    static let end = #"""
        {"aps":{"timestamp":1790000000,"event":"end","dismissal-date":1790000900,"content-state":{\#
        "currentHealthLevel":1,"event":{"args":[],"key":"The journey is completed!"},\#
        "eventDescription":"The journey is completed!",\#
        "heroes":[{"avatar":"🐳","healthLevel":1,"isDown":false,"name":"Spouty"}],"outcome":"completed",\#
        "sequence":64,"tick":30}}}
        """#
}
