import { estimateTokens } from "../../src/domain/text/tokens.ts";
import type { ChatModel } from "../../src/ports/chat-model.ts";

const MAX_COPIED = 3;
/** A message that was found; those around it are indented. */
const HIT = /^(?<handle>m\d+) (?:\[[^\]\n]*\] )?(?<said>.*)$/gmu;

/** Calls no tool, understands nothing, and copies the first hits that stand with the question: what a model is given counts alone. */
export const COPYING_MODEL: ChatModel = {
  async step({ system, turns }) {
    const given = turns.map(({ text }) => text).join("\n");
    const found = given.split("A search for the question found first:").at(-1) ?? "";
    const hits = given === found ? [] : [...found.matchAll(HIT)].slice(0, MAX_COPIED);
    const lines = hits.map(({ groups }) => `${groups?.["said"]} [${groups?.["handle"]}]`);
    const text = lines.length > 0 ? lines.join("\n") : "I was given nothing to copy.";
    const usage = { inputTokens: estimateTokens(system + given), outputTokens: estimateTokens(text) };
    return { text, calls: [], isCut: false, usage: { ...usage, isEstimated: true } };
  },
};
