import type { Query } from "../../src/domain/search/query.ts";
import { findEchoes, findQuestion, PEOPLE, type Said, START } from "./said.ts";

interface Ranked {
  readonly said: Said;
  readonly score: number;
  readonly held: "all" | "some" | "none";
}

/** Where a search is made, by whom, and which rooms are close to it. */
export interface Asked {
  readonly room: string;
  readonly near: readonly string[];
  readonly by: string;
}

/** What search should find, said as plainly as possible, over everything there is. Shares nothing with the code it is held against. */
export function rankNaively(rooms: readonly (readonly Said[])[], query: Query, asked: Asked | null = null): Ranked[] {
  const stop = new Set(["the", "is", "when"]);
  const isInSpan = ({ second }: Said) =>
    START + second * 1000 >= (query.since ?? 0) && START + second * 1000 <= (query.until ?? Number.POSITIVE_INFINITY);
  const looked = rooms.map((room) => room.filter(isInSpan));
  const spoken = looked.map((room) => room.filter((said) => !findEchoes(room).has(said)));
  const questions = new Map(looked.flatMap((room) => room.map((said) => [said, findQuestion(said, room)])));
  const all = spoken.flat();
  const allWords = query.text
    .replace("?", "")
    .split(" ")
    .filter((word) => word !== "");
  const telling = allWords.filter((word) => !stop.has(word));
  const words = [...new Set(telling.length > 0 ? telling : allWords)];
  const wordsOf = (said: Said) =>
    [...said.text.replace("?", "").split(" "), ...(said.picture ? ["p", "png"] : [])].filter(Boolean);
  const lentTo = (said: Said) => {
    const question = questions.get(said);
    return question ? wordsOf(question) : [];
  };
  const lengthOf = (said: Said) => [...wordsOf(said), ...lentTo(said)].filter((word) => !stop.has(word)).length;
  const countOwn = (said: Said, word: string) => [...wordsOf(said), said.by].filter((each) => each === word).length;
  const countIn = (said: Said, word: string) => countOwn(said, word) || Number(lentTo(said).includes(word));
  const average = Math.max(1, all.reduce((sum, said) => sum + lengthOf(said), 0) / Math.max(1, all.length));
  const weightOf = (word: string) => {
    const having = all.filter((said) => countIn(said, word) > 0).length;
    return Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
  };
  const ownScore = (said: Said, word: string) => {
    const count = countIn(said, word);
    const norm = 0.9 * (0.6 + 0.4 * Math.min(2, Math.max(1, lengthOf(said) / average)));
    return count === 0 ? 0 : (weightOf(word) * count * 1.9) / (count + norm);
  };
  const known = words.filter((word) => all.some((said) => countIn(said, word) > 0));
  const topicOf = (room: readonly Said[]) => {
    const lifts = known.map((word) => {
      const [here, everywhere] = [room, all].map((some) => some.filter((said) => countIn(said, word) > 0).length);
      const expected = ((everywhere ?? 0) * room.length) / all.length;
      return weightOf(word) * Math.min(4, Math.max(-1, Math.log(((here ?? 0) + 0.5) / (expected + 0.5))));
    });
    const total = known.reduce((sum, word) => sum + weightOf(word), 0);
    return total === 0 ? 0 : lifts.reduce((sum, lift) => sum + lift, 0) / total;
  };
  const mostTopical = Math.max(1, ...spoken.map(topicOf));
  const roomWeight = (room: readonly Said[]) => {
    const topic = Math.max(0, topicOf(room)) / mostTopical;
    const name = room[0]?.channel ?? "";
    const place = name === asked?.room ? 1 : asked?.near.includes(name) ? 0.1 : 0;
    const own = room.some(({ by }) => by === asked?.by) ? 0.1 : 0;
    return (1 + 2 * topic) * (1 + place + own);
  };
  const newest = Math.max(...all.map(({ second }) => second));

  const scored = spoken.flatMap((room) => {
    const weight = roomWeight(room);
    return room.map((said, at) => {
      const crowd = new Set(room.slice(Math.max(0, at - 5), at + 6).map(({ by }) => by)).size;
      const worths = room.map((other, there) => {
        const worths = [0];
        const between = room.slice(Math.min(at, there), Math.max(at, there) + 1);
        const isTogether = between.every((each, n) => n === 0 || each.second - (between[n - 1]?.second ?? 0) <= 1800);
        const distance = Math.abs(at - there);
        const isReplied = said.answers === other.second;
        const isReply = other.answers === said.second;
        const isAnswered = there < at && other.by !== said.by && other.text.includes("?") && crowd > 2;
        const faded = 0.7 ** (distance - 1) * (other.by === said.by ? 1 : Math.min(1, 2 / crowd));
        if (distance > 0 && distance <= 4 && isTogether)
          worths.push((there < at ? 0.7 : 0.5) * (isAnswered ? 1 : faded));
        if (isReplied) worths.push(0.7);
        if (isReply) worths.push(0.5);
        return Math.max(...worths);
      });
      let met = 0;
      let score = 0;
      for (const word of words) {
        const own = ownScore(said, word);
        const near = Math.max(0, ...room.map((other, there) => (worths[there] ?? 0) * ownScore(other, word)));
        score += Math.max(own, near);
        met += own > 0 ? 2 : near > 0 ? 1 : 0;
      }
      const named = all.filter(({ by }) => by === said.by).length;
      const isName = 3 * named >= all.filter((other) => countIn(other, said.by) > 0).length;
      if (words.includes(said.by) && isName) score *= 1.12;
      if (said.text.endsWith("?")) score *= 0.85;
      if (said.text.includes("?") && crowd > 2) score *= 0.5;
      if (query.text.startsWith("when") && said.text.includes("hoy")) score *= 1.25;
      const held = words.filter((word) => countOwn(said, word) > 0).length;
      const isFound = words.length === 0 || met > 1;
      const age = (newest - said.second) / 86_400;
      return {
        said,
        isFound,
        score: score * (1 + (0.05 * 30) / (30 + age)) * weight,
        held: held === words.length ? ("all" as const) : held > 0 ? ("some" as const) : ("none" as const),
      };
    });
  });
  const isFitting = (said: Said) =>
    (query.from.length === 0 || query.from.includes(PEOPLE[said.by] ?? ("" as never))) &&
    query.has.every((kind) => said.picture && (kind === "image" || kind === "file")) &&
    !query.not.words.some((word) => countIn(said, word) > 0) &&
    !query.not.from.some((id) => id === PEOPLE[said.by]);
  return scored
    .filter(({ said, isFound }) => isFound && isFitting(said))
    .sort((a, b) => b.score - a.score || b.said.second - a.said.second);
}
