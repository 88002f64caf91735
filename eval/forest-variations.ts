import { hideReplies } from "./discord-rooms.ts";
import {
  between,
  type Chance,
  calmDown,
  cutUp,
  dropNames,
  dropTexts,
  markBots,
  shufflePieces,
  spreadTimes,
  stretchTimes,
  thinOut,
} from "./forest-variants.ts";
import type { Room } from "./irc.ts";

/** A room to learn from, and how much each of its lessons counts. */
type Variation = readonly [room: Room, weight: number];

/** Who answers commands in these logs. */
const BOTS = /^ubot/;

/** On IRC an answer comes within minutes; in slow rooms of Discord the same takes days. */
const MAX_STRETCH = 300;

/** Busy rooms as they are, and what other rooms could be made of them. */
export function* varyIrc(room: Room, index: number, chance: Chance): Generator<Variation> {
  const isEven = index % 2 === 0;
  const dropMost = (one: Room, often: number) => (chance() < often ? dropNames(one, 1, chance) : one);
  const timed = isEven ? room : spreadTimes(room);
  const asIs = index % 3 === 0 ? markBots(timed, BOTS) : timed;
  yield [asIs, 1];
  yield [dropNames(isEven ? spreadTimes(room) : room, 0.3 + 0.7 * chance(), chance), 0.7];
  const calm = dropMost(dropTexts(calmDown(spreadTimes(room), chance), 0.04, chance), 0.7);
  for (const one of isEven ? cutUp(calm, Math.round(10 + 50 * chance())) : [calm]) yield [one, 0.5];
  if (index % 3 === 0) {
    const few = calmDown(dropNames(spreadTimes(room), 1, chance), chance, Math.round(between(2, 6, chance)));
    for (const one of cutUp(few, Math.round(10 + 50 * chance()))) yield [one, 1];
  }
  const thin = dropTexts(thinOut(spreadTimes(room), 0.05 + 0.5 * chance(), chance), 0.04, chance);
  const paced = dropMost(chance() < 0.5 ? stretchTimes(thin, between(0.5, MAX_STRETCH, chance)) : thin, 0.7);
  for (const one of isEven ? cutUp(paced, Math.round(20 + 80 * chance())) : [paced]) yield [one, 0.7];
  if (isEven) for (const one of cutUp(asIs, 100)) yield [dropMost(one, 0.3), 0.7];
}

/** There are far fewer replies than annotated lines. */
const REPLY_WEIGHT = 2;
/**
 * What a message without a reply answers is not known. So "answers nothing" is learned, besides from IRC, from messages that were put where nothing
 * belongs to them. Of messages without a reply about a third begin something after an hour of silence, as a reader finds; the weights make it so.
 * With all replies hidden it is a fifth of all messages.
 */
const START_WEIGHT = 0.12;
const START_AMONG_REPLIES_WEIGHT = 0.06;
const MIN_SILENCE_MS = 30 * 60_000;
/** Smaller rooms are about one thing. */
const MIN_MESSAGES = 100;
const PIECE_WEIGHT = 1.4;

/**
 * All replies hidden; part of them, because in the product replies are seen and only other messages are guessed; and pieces of the room, because
 * the product sees the latest messages only.
 */
export function* varyDiscord(room: Room, chance: Chance): Generator<Variation> {
  yield [hideReplies(room), REPLY_WEIGHT];
  const part = 0.2 + 0.6 * chance();
  const isHidden = room.messages.map(() => chance() < part);
  yield [hideReplies(room, (index) => isHidden[index] === true), REPLY_WEIGHT];
  for (const piece of cutUp(hideReplies(room), Math.round(between(30, 150, chance))))
    yield [{ ...piece, answers: withoutStarts(piece) }, PIECE_WEIGHT];
  if (room.messages.length < MIN_MESSAGES) return;
  for (const keepsReplies of [false, true]) {
    const shuffled = shufflePieces(room, MIN_SILENCE_MS, chance, keepsReplies);
    for (const one of [shuffled, ...cutUp(shuffled, Math.round(between(8, 60, chance)))])
      yield [one, keepsReplies ? START_AMONG_REPLIES_WEIGHT : START_WEIGHT];
  }
}

/** A reply to something before its piece looks like an answer: it would teach that answers answer nothing. */
function withoutStarts({ answers }: Room): Room["answers"] {
  return new Map([...answers].filter(([line, targets]) => !targets.includes(line)));
}
