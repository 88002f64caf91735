import { foldBare } from "../../search/keywords.ts";

/** Words that only hold a sentence together, or ask. By language; accents do not matter, because chat often leaves them out. */
const FUNCTION_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: toSet(
    `der die das den dem des ein eine einen einem einer eines kein keine keinen ich du er sie es wir ihr mich dich sich uns euch mir dir ihm
    ihn ihnen mein dein sein unser euer wer wen wem wessen was wann wo wohin woher warum wieso weshalb wie welche welcher welches welchem
    welchen ist sind war waren bin bist wird werden wurde wurden worden hat habe haben hast hatte hatten kann kannst konnte muss soll
    sollte will wollte darf mag und oder aber denn weil dass wenn als ob nicht noch schon mal auch nur sehr so da dort hier dann jetzt nun
    eigentlich überhaupt in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter für um bis ab seit durch gegen ohne
    jemand alle alles etwas man diese dieser dieses diesem diesen jede jeder unsere unserem unseren unserer eure seine ihre`,
  ),
  es: toSet(
    `el la los las un una unos unas lo al del de a en por para con sin sobre entre hasta desde hacia y e o u ni pero que quien quienes
    cuando donde como cuanto cuanta cuantos cuantas cual cuales porque si no ya es son era eran fue fueron ser sera está están estaba
    estar esta ha han he hemos hay había tiene tienen puede puedo quiere va van yo tu usted ustedes nosotros ellos ella ellas me te se
    nos le les mi mis su sus nuestro nuestra este ese eso esto aquel aquella ahora aquí ahí allí muy más menos también todo todos toda
    todas algo alguien alguno alguna nada nadie otra otro contra`,
  ),
  fr: toSet(
    `le la les un une des du de d l à au aux en dans sur sous avec sans pour par chez vers entre et ou ni mais donc car que qu qui quoi
    quand où comment pourquoi combien quel quelle quels quelles ce cet cette ces ça cela c est sont était étaient être été sera ai as a ont
    avait avoir fait faire va vont peut peux doit je j tu il elle on nous vous ils elles me te se s m t y mon ma mes ton ta tes son sa ses
    notre nos votre vos leur leurs ne n pas plus moins très aussi tout tous toute toutes quelque chose quelqu'un ici là maintenant encore
    déjà bien si contre`,
  ),
  pt: toSet(
    `o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para pra com sem sobre entre até desde e ou mas nem que quem
    quando onde como quanto quanta quantos quantas qual quais porque por se não já é são era eram foi foram ser será está estão estava estar
    esta tem têm tinha há vai vão pode posso quer eu tu você vocês ele ela eles elas nós me te lhe meu minha seu sua nosso nossa este esse
    isso isto aquele aquela aqui ali agora muito mais menos também tudo todo todos toda todas algo alguém alguma algum nada ninguém outro
    outra contra ao à aos às`,
  ),
};

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/u).map(foldBare));
}

export function isFunctionWord(word: string, code: string): boolean {
  return FUNCTION_WORDS[code]?.has(foldBare(word)) ?? false;
}
