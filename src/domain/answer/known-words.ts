import { editDistance } from "../names/edit-distance.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { toStem } from "../search/stem.ts";
import { isStopWord } from "../search/stop-words.ts";
import { allowedTypos, typosBetween } from "../search/typos.ts";
import { GLOSSARY_ENGLISH } from "./glossary/glossary.ts";
import { isFamilyWord, isLightWord } from "./word-families.ts";

const MIN_LENGTH = 4;
/** In shorter words only swapped letters are recognised. */
const MIN_LENGTH_FOR_EDITS = 5;
const MAX_SUGGESTIONS = 4;

/** Common words that neither the glossary nor the families of words have. */
const COMMON =
  `launch able accept access account action add address advice afford air alarm alive allow alone amount angry apart appear apply
  area argue arm army around art article attack author award baby balance ball band bank bar base basic battle bear beat beauty become bell
  belong beside bet bite blade blame blanket blind block blood blow board bone boot border boring bottom bowl brain branch brand brave breath
  brick bright broad brush budget burn bus busy button camp cancel candle cap capital captain card care career carry case cash cause
  centre century certain chain chance channel chapter charge chase cheap check chief choice circle claim class clear clever clock cloth
  cloud club coach coal coast coat code coin collect column common company compare complete concert condition connect contact contain content
  contest control cook copper copy corner correct cotton count country couple court cover crack crash crew crime cross cry cup curious
  current curtain curve custom cut damage dance danger dark deal dear death debate debt deep degree delay deliver demand department depend
  depth describe desert design desk detail develop device diamond digital dirt discover discuss dish distance divide double doubt draft drag
  drama dress drill drive drone drug dust duty earn earth ease east edge effect effort electric element else email empty enemy energy enjoy
  enough enter entry equal escape estimate event evidence exact example except exchange excite exist expect expert explain express extra eye
  face fact factory fail fair faith false famous farm fashion fat fault favour fear feature field fight figure fill film filter final finger
  firm fit flow focus fold follow force foreign forest forever form former forward frame fresh fuel fund future gain gallery gap gas gather
  gear general gentle ghost giant glass global goal gold grab grade grain grand grant grass gravity ground group grow guard guess guide gun
  habit hair half hang harm hate heart heat heaven hero hide hill history hit hold hole holiday honest hook hope host hotel huge human hunger
  hunt hurry hurt image imagine impact include income increase index industry injury input insect instead intend invite iron issue item jail
  jacket join journal judge juice jump jury justice keen kick kill king kiss knee knife knock label labour lack lady lake land lane laugh
  law lawyer lay layer lazy lead leader leaf leather lecture lesson level licence lie lift limit link lion lip liquid listen load loan local
  lock log logic lonely lottery love luck lung magic mail main major male manage mark marry mask mass master match material matter maximum
  medal medicine memory mental menu mess method middle mile mill mind mine minister mirror miss mission mistake mix mobile mode model modern
  moment mood moon moral motion mount mouse mouth muscle narrow nation native nature near neat neck need nerve nest net neutral noon north
  nose notch note notice novel nuclear number nurse object observe ocean odd offer official oil operate option orchestra ordinary origin
  pack pain pair palace pale paper parent park part partner pass past patch path patient pattern pause peace peak pen pencil pension pepper
  perform period permit phase piano pick piece pile pilot pin pipe pitch planet plant plastic pocket poem poet point poison police policy
  polish poor popular position post potential pound powder praise pray prefer prepare press pretend prevent primary prince print prison
  private process produce profit proof proper protect proud prove public pull punish pure purpose push puzzle quality quarter queen quick
  quiet quit quote radar rail raise random range rank rare rate raw reach react ready real record recover reduce refuse region register
  regular relate relax release relief remain remove replace reply report request rescue research resist respect rest restaurant reveal reward
  rhythm rich rifle ring rise risk rival robot rock rocket role roll root rough round route royal rub rubber ruin rush sad salary sample
  sand satellite satisfy save scale scan schedule science score scream seat secret section secure seed select senior sense separate
  serious serve service session settle shade shadow shake shape share sharp sheet shelter shift shine shirt shock shoot shore shot shoulder
  shout shut shy side sight signal silence silk silver similar simple single site skill skin sky slave slide slip smart smell smile smoke
  smooth snake social soft software soil soldier solid solve sorry sort soul sound source south space spare speak special speech speed
  spell spend spirit split spoon sport spot spread square stable staff stage stamp standard star state station statue status steady steal
  steam step stick stiff still stitch stock stomach stone stop strange stream stress stretch strict strike string strip strong structure
  studio stupid style subject succeed sudden suffer suggest suit supply support suppose surface surprise survey survive suspect swear sweep
  swing switch sword symbol system tail talent tank tape target task taste taxi tear telephone television temple tennis tent term terrible
  text theatre theory thick thief thin thread threat throat ticket tie tight tiny tip tired title tobacco toe tone tongue topic total touch
  tough tower toy trace track trade traffic transport trap treasure treat trial trick troop trouble trousers truck trust truth try tube tune
  tunnel twin twist type ugly umbrella union unique unit universe upper urban urgent usual valley value various venue victim victory view
  village violent virus visible vision visit voice volume wage wait wake walk wander war warn waste watch weak wealth weapon weave web wedge
  weird west wheel whisper whistle whole wide wild willing wing wire wise wish witch witness wolf wonder wool word world worry worth wound
  wrap wrist yard yell young youth zero zone`.split(/\s+/u);

const STEMS = new Set([...GLOSSARY_ENGLISH, ...COMMON].map(toStem));

const WORDS = [...new Set([...GLOSSARY_ENGLISH, ...COMMON])].filter((word) => word.length >= MIN_LENGTH);

/** Common words that one which does not exist may be a misspelling of. Expects lower case. */
export function suggestWords(typed: string): string[] {
  if (typed.length < MIN_LENGTH || !/^[a-z]+$/u.test(typed) || isKnownWord(typed)) return [];
  const allowed = Math.max(1, allowedTypos(typed));
  return WORDS.filter((word) => {
    const typos = word.length < MIN_LENGTH_FOR_EDITS ? null : typosBetween(typed, toStem(word), allowed);
    return typos !== null || isSwapped(typed, word) || isSwapped(typed, `${word}s`);
  }).slice(0, MAX_SUGGESTIONS);
}

/** Two neighbouring letters changed places. */
export function isSwapped(a: string, b: string): boolean {
  return a.length === b.length && [...a].sort().join("") === [...b].sort().join("") && editDistance(a, b, 1) === 1;
}

/** An English word that is common enough to be meant as it is typed. Expects lower case. */
export function isKnownWord(word: string): boolean {
  const bare = word.replaceAll("'", "");
  const stem = toStem(bare);
  return isStopWord(bare) || isOrdinaryWord(bare) || STEMS.has(stem) || isLightWord(stem) || isFamilyWord(stem);
}
