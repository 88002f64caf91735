import { describe, expect, it } from "vitest";
import { toMessageForm } from "./message-form.ts";

const lines = (text: string) => text.trim().split("\n");

describe("the form of a message", () => {
  it.each(
    lines(`
when is the regatta?
when does the regatta start
NOW did anyone find my sock
what did I miss on the turtle front, I've been under a hull
waht did kofi say about gloves
who has the key to the west store
who knows about the anchor
is there a dentist someone recommends
tell me about the regatta
find the message about the anchor
catch me up
please summarise this channel
hey, when is it?
Hi! When is the regatta? Thanks
I lost my key. Where do I get a new one?
can you check the tide table
I've been away studying. catch me up on the regatta please
remember that my berth is C 12
more
who said that
wann ist die Regatta
sag mir bitte wann die Regatta ist
fass den Tag zusammen
¿cuándo es la regata?
cuándo empieza la regata
dime cuándo es la regata
quand commence la régate
dis-moi quand est la régate
résume la journée
quando começa a regata
me diga quando é a regata
レガッタはいつですか
レガッタはいつ始まる
今日の会話をまとめて
レガッタの日を教えてください
마감이 언제예요
오늘 놓친 것 요약해줘
마감일 알려줘
когда регата
kiedy są regaty
quando inizia la regata
wanneer is de regatta
regatta ne zaman
متى السباق
any news about the regatta
has the regatta begun
is the pier open, mark
gibt es Neues zur Regatta
est-ce que la régate est annulée
kto ma klucze
powiedz mi kiedy są regaty
dimmi quando è la regata
was weißt du über die Regatta
was hat Mark über die Regatta gesagt
was ist der Türcode
wie komme ich zum Steg
quel est le code de la porte
est-ce qu'on a les clés
qu'est-ce que Marc a dit
qué dijo Marcos de la regata
cuál es el código
o que você sabe sobre a regata
qual é o código
quando è la regata
vertel me wanneer de regatta is
скажи когда регата
أخبرني متى السباق
`),
  )("of %j is a question or a request", (text) => {
    expect(toMessageForm(`<@123> ${text}`)).toBe("asks");
  });

  it.each(
    lines(`
no, it is the 26th now
it starts at ten
at ten
under the pier
the regatta moved to the 26th
The regatta is on the 26th. Bring lunch. Questions? Ask Mark. See you all there.
I find forgetting the more honest half of memory. What is kept has been chosen. What is gone was real.
keep 50 m away, it's waiting for its mother
my berth is C 12
I'm away until Monday
nein, es ist jetzt der 26.
die Regatta beginnt am 26. Juni
wer mitkommt, meldet sich bei Mark
when the tide is low, we meet at the pier
no, es el 26
c'est le 26 maintenant
não, agora é dia 26
いいえ、26日です
集合はいつもの場所です
아니요, 26일이에요
нет, теперь 26-го
Treffpunkt ist der Steg
la régate est reportée
is on the 26th
should be the 26th
has been moved to the 27th
have moved it to the 27th
can be found in the shed
does not start before ten
would be Mark, he has the keys
have the keys, will bring them at ten
The regatta moved to the 27th. Did you know?
It is the 27th. Why do you say the 26th?
26th? no, 27th
where? at the pier, as always
that is wrong, it is the 27th, ok?
Mark brings the keys
regatta cancelled
show starts at ten
Anna gewann das Rennen
Marc apporte les clés
Marcos trae las llaves
wie immer am Steg
was zählt ist der Wind
hat Mark schon gemacht
c'est Marc qui a les clés
o que importa é o vento
please bring a vest at ten
Fuse is back. Waffle iron moves to the galley please
wann immer es regnet treffen wir uns in der Halle
quand il pleut on se retrouve au hangar
cuando llueve nos vemos en el hangar
quem vier traz colete
quando piove ci vediamo nel capannone
jak zawsze w porcie
co roku regaty są w czerwcu
когда идёт дождь встречаемся в ангаре
что касается регаты она 26 июня
wat mij betreft de 26e
ما زال السباق يوم 26
いつも通り港で
언제나처럼 항구에서
`),
  )("of %j is a statement", (text) => {
    expect(toMessageForm(`<@123> ${text}`)).toBe("states");
  });

  it.each(
    lines(
      "regatta date\nregatta info please\nwifi password\ndate of the regatta\nRegatta Termin\nレガッタの日程\n마감일\nthanks!",
    ),
  )("of %j is neither", (text) => {
    expect(toMessageForm(`<@123> ${text}`)).toBe("names");
  });

  it("does not look at what stands in code", () => {
    expect(toMessageForm("it works now, see `what is this?`")).toBe("states");
  });
});
