import { parseArgs } from "node:util";
import { prepareNetwork } from "../src/domain/forest/network.ts";
import { printTable } from "../test/support/table.ts";
import { formatFigure, writeFigures } from "./figures.ts";
import { readForestData } from "./forest-data.ts";
import { discordFigures, ircFigures } from "./forest-figures.ts";
import { learnNetwork } from "./forest-learning.ts";

/**
 * Who answers whom in a community of which nothing was taught? `npm run eval -- forest-across [--data FOLDER]` teaches one network on IRC alone and measures
 * it on Discord, and the other way round. The weights in use are not touched.
 */
const { values } = parseArgs({
  options: { data: { type: "string", default: "../shared/data" }, figures: { type: "string" } },
});
/** Every fourth log: more of them take minutes and change little. */
const LOGS = 4;
const SEED = 1;

const { training, dev, discord } = readForestData(values.data);
const logs = training.filter((_, index) => index % LOGS === 1);
const fromIrc = prepareNetwork(learnNetwork({ irc: logs, discord: [] }, SEED));
const fromDiscord = prepareNetwork(learnNetwork({ irc: [], discord: discord.training }, SEED));
const figures = {
  ...discordFigures("taught on IRC, Discord", [...discord.training, ...discord.heldOut], fromIrc),
  ...ircFigures("taught on Discord, IRC", dev, fromDiscord),
};
writeFigures(values.figures, figures);
printTable(
  "A community that was not taught on, in percent (90 % interval over rooms)",
  Object.entries(figures).map(([what, figure]) => ({ what, figure: formatFigure(figure) })),
);
