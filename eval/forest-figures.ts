import type { PreparedNetwork } from "../src/domain/forest/network.ts";
import { hideReplies } from "./discord-rooms.ts";
import { type Figures, measureFigure, toFigure } from "./figures.ts";
import { FOREST_BASELINES } from "./forest-baselines.ts";
import { guessLinks } from "./forest-data.ts";
import { toGroups } from "./forest-measures.ts";
import { guessBy, measureFound } from "./forest-score.ts";
import type { Room } from "./irc.ts";
import { calibrationError, type Guessed, measureCertainty, measureReplies } from "./reply-measures.ts";

const PREVIOUS_OTHER = FOREST_BASELINES.previous_message_of_another_author ?? (() => []);

/** Of replies that are hidden: all of them at once, and each half while the other is seen. */
export function discordFigures(name: string, rooms: readonly Room[], network?: PreparedNetwork): Figures {
  const guess = (isHidden?: (index: number) => boolean) => (room: Room) => {
    const hidden = hideReplies(room, isHidden);
    return { room: hidden, links: guessLinks(hidden.messages, network) };
  };
  const hidden = rooms.map(guess()).map((one) => [one]);
  const halves = rooms.map((room) => [0, 1].map((half) => guess((index) => index % 2 === half)(room)));
  const trivial = hidden.map((some) => some.map(({ room }) => guessBy(room, PREVIOUS_OTHER)));
  return {
    [`${name}, all replies hidden`]: toFigure(hidden.map(tally)),
    [`${name}, half of the replies hidden`]: toFigure(halves.map(tally)),
    [`${name}, the previous other author`]: toFigure(trivial.map(tally)),
    [`${name}, all replies hidden: certainty off by`]: measureFigure(hidden, offBy),
    [`${name}, half of the replies hidden: certainty off by`]: measureFigure(halves, offBy),
  };
}

export function ircFigures(name: string, logs: readonly Room[], network?: PreparedNetwork): Figures {
  const guessed = logs.map((room): Guessed => ({ room, links: guessLinks(room.messages, network) }));
  const trivial = logs.map((room) => guessBy(room, PREVIOUS_OTHER));
  return {
    [`${name}, links F`]: toFigure(guessed.map(tallyLinks)),
    [`${name}, the previous other author: links F`]: toFigure(trivial.map(tallyLinks)),
    [`${name}, one to one`]: toFigure(guessed.map(tallyGroups)),
    [`${name}, the previous other author: one to one`]: toFigure(trivial.map(tallyGroups)),
    [`${name}, certainty off by`]: measureFigure(guessed, (some) => calibrationError(measureCertainty(some))),
  };
}

function tally(guesses: readonly Guessed[]) {
  const { right, all } = measureReplies(guesses).get("all") ?? { right: 0, all: 0 };
  return { right, of: all };
}

/** Summed over logs these give the F of all links together. */
function tallyLinks(guess: Guessed) {
  const wanted = [...guess.room.answers.values()].reduce((sum, { length }) => sum + length, 0);
  const of = wanted + guess.room.answers.size;
  return { right: (measureFound([guess]).link_f * of) / 100, of };
}

/** Summed over logs these give the one-to-one overlap of all lines together. */
function tallyGroups(guess: Guessed) {
  const of = toGroups(guess.room.answers).flat().length;
  return { right: (measureFound([guess]).one_to_one * of) / 100, of };
}

function offBy(rooms: readonly (readonly Guessed[])[]): number {
  return calibrationError(measureCertainty(rooms.flat()));
}
