import { parseArgs } from "node:util";
import { printTable, type Row } from "../test/support/table.ts";
import { formatFigure, writeFigures } from "./figures.ts";
import { readForestData } from "./forest-data.ts";
import { discordFigures, ircFigures } from "./forest-figures.ts";
import type { Measures } from "./forest-measures.ts";
import { type DiscordScore, type IrcScore, scoreDiscord, scoreIrc } from "./forest-score.ts";
import { CASES, type Calibration, calibrationError, type Share } from "./reply-measures.ts";

/** Who answers whom? `npm run eval -- forest [--data FOLDER] [--json]`. Rooms that are measured are not learned from. */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data" },
    json: { type: "boolean", default: false },
    figures: { type: "string" },
  },
});
const { dev, discord } = readForestData(values.data);
const figures = { ...discordFigures("Discord", discord.heldOut), ...ircFigures("IRC", dev) };
writeFigures(values.figures, figures);
const irc = scoreIrc(dev);
const replies = scoreDiscord(discord.heldOut);
if (values.json) console.log(JSON.stringify({ irc, replies }, toPlain, 2));
else {
  printTable(
    "Rooms and logs that were not learned from, in percent (90 % interval over rooms)",
    Object.entries(figures).map(([what, figure]) => ({ what, figure: formatFigure(figure) })),
  );
  printIrc(irc);
  printDiscord(replies);
}

function printIrc({ measures, baselines, starts, slowStarts, certainty }: IrcScore): void {
  printTable(
    `IRC, ${dev.length} development logs: links F / groups: information, one to one, exact F`,
    Object.entries({ earshot: measures, ...baselines }).map(([name, one]) => ({
      what: toWords(name),
      figure: toFigures(one),
    })),
  );
  printShares(
    "IRC, lines that begin a conversation and were linked all the same, by the silence before",
    starts,
    missed,
  );
  printShares("IRC, the same where the logs are made slow: one conversation after the other", slowStarts, missed);
  printCertainty("IRC, stated certainty and how many of these links are right", certainty);
}

function printDiscord(score: DiscordScore): void {
  const { hidden, baselines, amongReplies } = score;
  const columns = [hidden, ...Object.values(baselines), amongReplies];
  const names = ["earshot", ...Object.keys(baselines).map(toWords), "earshot, one reply in five hidden"];
  printTable(
    `Discord, ${discord.heldOut.length} rooms that were not learned from, all replies hidden: right originals (${names.join(" | ")})`,
    CASES.map((name) => ({
      what: name,
      figure: columns.map((shares) => toPercent(shares.get(name))).join(" | "),
      note: `of ${hidden.get(name)?.all ?? 0}`,
    })),
  );
  printShares(
    "Discord, first messages after a silence, before which nothing belongs to them, linked all the same",
    score.starts,
    missed,
  );
  printShares(
    "Discord, messages without a reply that were taken to answer nothing, by the silence before (truth not known)",
    score.unknown,
  );
  printCertainty(
    "Discord, all replies hidden: stated certainty and how many of these links are right",
    score.certainty,
  );
  printCertainty(
    "Discord, one reply in five hidden: stated certainty and how many of these links are right",
    score.certaintyAmongReplies,
  );
}

function printShares(title: string, shares: ReadonlyMap<string, Share>, show = toPercent): void {
  const names = CASES.filter((name) => shares.has(name));
  printTable(
    title,
    names.map((name) => ({ what: name, figure: show(shares.get(name)), note: `of ${shares.get(name)?.all ?? 0}` })),
  );
}

function printCertainty(title: string, bins: readonly Calibration[]): void {
  const rows = bins.map(({ stated, right, all }): Row => {
    return { what: stated.toFixed(2), figure: (right / all).toFixed(2), note: `of ${all}` };
  });
  printTable(`${title} (they differ by ${calibrationError(bins).toFixed(1)} points on average)`, rows);
}

function missed(share: Share | undefined): string {
  return toPercent(share && { right: share.all - share.right, all: share.all });
}

function toPercent(share: Share | undefined): string {
  return share && share.all > 0 ? ((100 * share.right) / share.all).toFixed(1) : "-";
}

function toFigures({ link_f, vi, one_to_one, exact_f }: Measures): string {
  return [link_f, vi, one_to_one, exact_f].map((value) => value.toFixed(1)).join(" / ");
}

function toWords(name: string): string {
  return name.replaceAll("_", " ");
}

function toPlain(_: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
