import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Network, prepareNetwork } from "../src/domain/forest/network.ts";
import { readForestData } from "./forest-data.ts";
import { learnNetwork } from "./forest-learning.ts";
import { scoreDiscord, scoreIrc } from "./forest-score.ts";
import type { Room } from "./irc.ts";
import { calibrationError, type Share } from "./reply-measures.ts";

/**
 * Learns the weights of the forest: `npm run eval -- learn-forest [--data FOLDER] [--seed N] [--out FILE]` takes some minutes and writes them with
 * their scores on logs and rooms that are not learned from. With `--tune` nothing is written: every fifth log of IRC and the validation rooms of
 * Discord are left out and measured instead, so that the others stay unseen until the end.
 */
const TUNING_PART = 5;
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data" },
    out: { type: "string", default: "src/domain/forest/weights.ts" },
    seed: { type: "string", default: "1" },
    tune: { type: "boolean", default: false },
  },
});

const { training, dev, discord } = readForestData(values.data);
/** Every second log, which halves the time it takes. */
const logs = training.filter((_, index) => index % 2 === 1);
const isMeasured = (_: Room, index: number) => values.tune && index % TUNING_PART === 0;
const network = learnNetwork(
  {
    irc: logs.filter((room, index) => !isMeasured(room, index)),
    discord: discord.training.filter((room) => !values.tune || !discord.validation.includes(room)),
  },
  Number(values.seed),
);
const scores = values.tune
  ? describeScores(logs.filter(isMeasured), discord.validation, network)
  : describeScores(dev, discord.heldOut, round(network));
console.log(scores.join("\n"));
if (!values.tune) writeFileSync(values.out, toSource(network, scores));

function describeScores(irc: readonly Room[], rooms: readonly Room[], learned: Network): string[] {
  const prepared = prepareNetwork(learned);
  const { measures, starts, certainty } = scoreIrc(irc, prepared);
  const score = scoreDiscord(rooms, prepared);
  const { link_f, vi, one_to_one, exact_f } = measures;
  const percent = (share: Share = { right: 0, all: 1 }) => ((100 * share.right) / share.all).toFixed(1);
  const trivial = percent(score.baselines.previous_message_of_another_author?.get("all"));
  return [
    `IRC, ${irc.length} logs: links F ${link_f.toFixed(1)}, information ${vi.toFixed(1)}, one to one ${one_to_one.toFixed(1)}, exact F ${exact_f.toFixed(1)};`,
    `${percent(starts.get("all"))} % of what begins a conversation is left alone; certainty is off by ${calibrationError(certainty).toFixed(1)} points.`,
    `Discord, ${rooms.length} rooms: ${percent(score.hidden.get("all"))} % of hidden replies (previous message of another author: ${trivial} %),`,
    `${percent(score.amongReplies.get("all"))} % where only one reply in five is hidden; certainty is off by ${calibrationError(score.certainty).toFixed(1)} points.`,
  ];
}

/** As it is written: in hundredths, which is fine enough. */
function round({ units, hidden, output }: Network): Network {
  const rounded = (list: Float64Array) => list.map((value) => Math.round(value * 100) / 100);
  return { units, hidden: rounded(hidden), output: rounded(output) };
}

function toSource({ units, hidden, output }: Network, lines: readonly string[]): string {
  const list = (numbers: Float64Array) => Array.from(numbers, (value) => Math.round(value * 100)).join(", ");
  return `import type { Network } from "./network.ts";

/**
 * Learned by \`npm run eval -- learn-forest --seed ${values.seed}\` from the training logs of irc-disentanglement (Ubuntu IRC, CC-BY-4.0) and from the rooms of
 * meshcore-discord-archive (MIT) that eval/discord-rooms.ts does not hold out. In hundredths. Of the hidden units there is a row for each feature,
 * in the order of their numbers, and a last one that is always added. Scores on logs and rooms that were not learned from:
${lines.map((line) => ` * ${line}`).join("\n")}
 */
const UNITS = ${units};
const OUTPUT = [${list(output)}];
const HIDDEN = [${list(hidden)}];

export const NETWORK: Network = { units: UNITS, hidden: toParts(HIDDEN), output: toParts(OUTPUT) };

function toParts(hundredths: readonly number[]): Float64Array {
  return Float64Array.from(hundredths, (value) => value / 100);
}
`;
}
