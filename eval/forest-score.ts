import type { PreparedNetwork } from "../src/domain/forest/network.ts";
import { hideReplies } from "./discord-rooms.ts";
import { FOREST_BASELINES, type Follow } from "./forest-baselines.ts";
import { guessLinks } from "./forest-data.ts";
import { type Measures, measure } from "./forest-measures.ts";
import { calmDown, chanceFrom, shufflePieces, spreadTimes } from "./forest-variants.ts";
import type { Room } from "./irc.ts";
import {
  type Calibration,
  type Guessed,
  measureCertainty,
  measureOverlinking,
  measureReplies,
  type Share,
} from "./reply-measures.ts";

type Shares = ReadonlyMap<string, Share>;

const PARTS = 5;
const MIN_SILENCE_MS = 30 * 60_000;
/** Smaller rooms are about one thing. */
const MIN_MESSAGES = 100;
const SEED = 7;

/** How well annotated IRC logs are untangled. */
export interface IrcScore {
  readonly measures: Measures;
  readonly baselines: Readonly<Record<string, Measures>>;
  /** Of lines that begin a conversation, those that were left alone. */
  readonly starts: Shares;
  /** The same in slow rooms made of these logs: one conversation after the other, with hours between. */
  readonly slowStarts: Shares;
  readonly certainty: readonly Calibration[];
}

export function scoreIrc(rooms: readonly Room[], network?: PreparedNetwork): IrcScore {
  const guesses = rooms.map((room): Guessed => ({ room, links: guessLinks(room.messages, network) }));
  const chance = chanceFrom(SEED);
  const slow = rooms.map((room) => calmDown(spreadTimes(room), chance));
  const baselines = Object.entries(FOREST_BASELINES).map(
    ([name, follow]) => [name, measureFound(rooms.map((room) => guessBy(room, follow)))] as const,
  );
  return {
    measures: measureFound(guesses),
    baselines: Object.fromEntries(baselines),
    starts: measureOverlinking(guesses),
    slowStarts: measureOverlinking(slow.map((room) => ({ room, links: guessLinks(room.messages, network) }))),
    certainty: measureCertainty(guesses),
  };
}

/** How well replies in Discord rooms are guessed. */
export interface DiscordScore {
  /** All replies of a room are hidden at once. */
  readonly hidden: Shares;
  readonly baselines: Readonly<Record<string, Shares>>;
  readonly certainty: readonly Calibration[];
  /** One reply in five is hidden, the others are seen as in the product. */
  readonly amongReplies: Shares;
  readonly certaintyAmongReplies: readonly Calibration[];
  /** Of first messages after a silence that cannot answer anything before it, those that were left alone. */
  readonly starts: Shares;
  /** Of messages without a reply, of which nobody knows what they answer, those that were left alone, by the silence before. */
  readonly unknown: Shares;
}

export function scoreDiscord(rooms: readonly Room[], network?: PreparedNetwork): DiscordScore {
  const guess = (room: Room): Guessed => ({ room, links: guessLinks(room.messages, network) });
  const hidden = rooms.map((room) => guess(hideReplies(room)));
  const among = Array.from({ length: PARTS }, (_, part) =>
    rooms.map((room) => guess(hideReplies(room, (index) => index % PARTS === part))),
  ).flat();
  const chance = chanceFrom(SEED);
  const large = rooms.filter(({ messages }) => messages.length >= MIN_MESSAGES);
  const shuffled = large.map((room) => guess(shufflePieces(room, MIN_SILENCE_MS, chance)));
  const unknown = rooms.map((room): Guessed => {
    const { links } = guess(room);
    const open = room.messages.flatMap(({ reply_to }, index) => (reply_to ? [] : [[index, [index]] as const]));
    return { room: { ...room, answers: new Map(open) }, links };
  });
  const baselines = Object.entries(FOREST_BASELINES).map(
    ([name, follow]) => [name, measureReplies(hidden.map(({ room }) => guessBy(room, follow)))] as const,
  );
  return {
    hidden: measureReplies(hidden),
    baselines: Object.fromEntries(baselines),
    certainty: measureCertainty(hidden),
    amongReplies: measureReplies(among),
    certaintyAmongReplies: measureCertainty(among),
    starts: measureOverlinking(shuffled),
    unknown: measureOverlinking(unknown),
  };
}

export function guessBy(room: Room, follow: Follow): Guessed {
  const links = follow(room.messages).map((to, index) => (to === index ? undefined : { to, certainty: 1 }));
  return { room, links };
}

export function measureFound(guesses: readonly Guessed[]): Measures {
  return measure(
    guesses.map(({ room, links }) => {
      const found = new Map([...room.answers.keys()].map((line) => [line, [links[line]?.to ?? line]]));
      return { truth: room.answers, found };
    }),
  );
}
