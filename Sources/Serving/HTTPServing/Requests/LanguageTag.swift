/// A language tag (BCP 47; RFC 5646, section 2.1), such as `ko`, `pt-BR` or `zh-Hant-TW`.
package enum LanguageTag {
    /// The maximum length, which RFC 5646, section 4.4.1, asks programs to support.
    private static let maxBytes = 35

    /// The two-letter languages of the IANA registry, with deprecated ones such as `iw`, which old systems report.
    ///
    /// ISO 639-1 is closed, so the list does not become outdated. Languages of three letters are not listed: there are
    /// some 8,000, and a phone may know new ones before this server.
    private static let twoLetterLanguages = Set(
        """
        aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en \
        eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw \
        ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt \
        my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm \
        sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
        """
        .split(separator: " ").map(String.init)
    )

    /// Returns the reason why a text is not a language tag: the end of a sentence "must be …"; nil for a valid tag.
    static func fault(in text: String) -> String? {
        let tag =
            #/
            (?<language> [A-Za-z]{2,3} ) (?: - [A-Za-z]{3} ){0,3}
            (?: - [A-Za-z]{4} )?
            (?: - (?: [A-Za-z]{2} | [0-9]{3} ) )?
            (?: - (?: [A-Za-z0-9]{5,8} | [0-9] [A-Za-z0-9]{3} ) )*
            (?: - [0-9A-WYZa-wyz] (?: - [A-Za-z0-9]{2,8} )+ )*
            (?: - [Xx] (?: - [A-Za-z0-9]{1,8} )+ )?
            /#
        guard text.utf8.count <= maxBytes, let match = text.wholeMatch(of: tag) else {
            return "must be a language tag (BCP 47) such as ko or pt-BR"
        }
        let language = match.language.lowercased()
        guard language.utf8.count > 2 || twoLetterLanguages.contains(language) else {
            return "must begin with a language: ISO 639-1 has no \(language)"
        }
        return nil
    }
}
