"""Words that say nothing about a topic, for some languages, and which of them a text is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from coterie.errors import InvalidParameter, did_you_mean

# The words that hold sentences together: articles, pronouns, prepositions, conjunctions, auxiliary verbs.
_WORDS = {
    "english": """
        a about above after again against all almost also although always am among an and another
        any anyone anything are around as at away back be became because become been before being
        below between both but by came can cannot come could did do does doing done down during
        each either else enough even ever every everyone everything few first for from further get
        gets getting give given go goes going gone got had has have having he her here hers
        herself him himself his how however i if in indeed into is it its itself just keep last
        least less let like likely long made make makes many may maybe me might mine more most
        much must my myself near need neither never new next no nobody none nor not nothing now of
        off often on once one only onto or other others our ours ourselves out over own part per
        perhaps put quite rather re really said same saw say says see seem seemed seems seen
        several shall she should since so some someone something sometimes soon still such take
        than that the their theirs them themselves then there therefore these they thing things
        this those though through thus to together too toward two under until up upon us use used
        using very via want was way we well went were what whatever when where whether which while
        who whole whom whose why will with within without would yes yet you your yours yourself
        don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't
        i'm i've i'd i'll it's that's there's they're we're you're he's she's let's""",
    "german": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen anderer
        anderes auch auf aus bei bin bis bist da damit dann das dass daß dein deine dem den denn
        der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du
        durch ein eine einem einen einer eines einige einmal er es etwas euch euer für gegen
        gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
        ihren ihrer ihres im immer in indem ins ist ja jede jedem jeden jeder jedes jene jetzt
        kann kein keine keinem keinen keiner können könnte man manche mehr mein meine meinem
        meinen meiner mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne schon
        sehr sein seine seinem seinen seiner seit selbst sich sie sind so solche soll sollte
        sondern sonst über um und uns unser unsere unter viel vom von vor während war waren warst
        was weil weiter welche wenn wer werde werden wie wieder will wir wird wirst wo wollen
        wurde wurden würde würden zu zum zur zwar zwischen""",
    "french": """
        à afin ai ainsi alors après as au aucun aussi autre autres aux avait avant avec avoir bien
        c'est car ce ceci cela celle celles celui ces cet cette ceux chaque chez ci comme comment
        contre d'un d'une dans de depuis des dès deux doit donc dont du elle elles en encore entre
        est et étaient était été être eu eux fait faire font hors il ils j'ai je jusqu l'on la le
        les leur leurs lors lui ma mais me même mes moi moins mon n'est ne ni nos notre nous on
        ont ou où par parce pas pendant peu peut peuvent plus plusieurs pour pourquoi qu'il
        qu'elle qu'on qu'un quand que quel quelle quelles quels qui s'est sa sans se selon sera
        ses si sien soit son sont sous sur ta tandis te tes toi ton toujours tous tout toute
        toutes très tu un une vers vos votre vous y""",
    "spanish": """
        a al algo algunas algunos ante antes aquel aquella así aún aunque bajo bien cada casi como
        cómo con contra cual cuando cuál de del desde después donde dos durante e el él ella ellas
        ellos en entre era eran eres es esa esas ese eso esos esta está estaba estado están estar
        estas este esto estos fue fueron ha había hace hacer hacia han has hasta hay he la las le
        les lo los más me mi mientras mis misma mismo mucho muchos muy nada ni no nos nosotros
        nuestra nuestro o os otra otras otro otros para parte pero poco por porque puede pueden
        pues que qué quien quién se sea según ser si sí sido sin sino sobre son su sus también tan
        tanto te tiene tienen toda todas todo todos tras tu tus un una unas uno unos usted ustedes
        y ya yo""",
    "italian": """
        a abbia abbiamo ad agli ai al alcuni alla alle allo altri altro anche ancora avere aveva
        c'è che chi ci cioè come con contro così cui da dagli dai dal dall dalla dalle dallo degli
        dei del dell della delle dello dentro deve di dopo dove due e è ed era erano essere fa
        fino fra già gli ha hanno ho i il in io la le lei li lo loro lui ma me meno mentre mi mia
        mio molto ne negli nei nel nell nella nelle nello no noi non nostra nostro o ogni oltre
        per perché più poi prima proprio può quale quando quanto quella quelle quelli quello
        questa queste questi questo qui quindi sarà se sei senza si sia sono sopra sotto stata
        stato stati su sua sugli sui sul sulla sulle sullo suo suoi tra tu tutta tutte tutti tutto
        un una uno vi via voi""",
    "dutch": """
        aan al alle alleen als altijd ander andere ben bij daar dan dat de deze die dit door dus
        een en er geen haar had hadden heb hebben heeft hem het hier hij hoe hun iets ik in is ja
        je kan komen kon kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog
        nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel
        voor waar waren was wat we wel werd werden wie wij wil willen worden wordt zal ze zei zelf
        zich zij zijn zo zonder zou""",
    "portuguese": """
        à a ao aos aquela aquele aqueles às as até cada com como da das de dela dele deles depois
        do dos e é ela elas ele eles em entre era eram essa esse esta está estão estava este eu
        foi foram há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós
        nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque pode podem qual
        quando que quem são se seja sem ser será seu seus só sobre sua suas também tem têm ter
        teve tinha todos tudo um uma umas uns você vocês""",
}
LEAST_SHARE = 0.15  # of the words of a text in a language that hold its sentences together


def languages() -> tuple[str, ...]:
    """Return the languages that have a list of stop words."""
    return tuple(_WORDS)


def stop_words(language: str) -> frozenset[str]:
    """Return words of a language that say nothing about a topic.

    Examples
    --------
    >>> "the" in stop_words("english"), "und" in stop_words("german")
    (True, True)
    """
    if language not in _WORDS:
        near = did_you_mean(str(language), _WORDS)
        raise InvalidParameter(
            f'there is no list of stop words for "{language}".{near} ({", ".join(_WORDS)}; or give the words '
            f"as a list)"
        )
    return frozenset(_WORDS[language].split())


def find_language(words: Iterable[str]) -> str | None:
    """Return the language that most words of some texts hold together in; None: none of those known.

    Examples
    --------
    >>> find_language("der Hund und die Katze sind auf dem Dach".lower().split())
    'german'
    """
    counts = Counter(words)
    total = sum(counts.values())
    shares = {name: sum(counts[word] for word in stop_words(name)) / max(total, 1) for name in _WORDS}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= LEAST_SHARE else None
