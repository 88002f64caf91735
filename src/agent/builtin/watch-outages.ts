import type { AnswerWords } from "../../language/answer-words.ts";
import { CHANNELS_UNREADABLE, DOCUMENTS_UNREADABLE, PROFILE_UNAVAILABLE } from "../../tools/outages.ts";
import type { AgentAnswer, Toolbox } from "../answerer.ts";

interface WatchedOutages {
  readonly toolbox: Toolbox;
  /** Adds to an answer what could not be read for it; first where nothing was found, because that means little then. */
  sayOutages(answer: AgentAnswer, says: AnswerWords): AgentAnswer;
}

/** Notes which sources the tools could not read: an answer from another source would otherwise pass for all that is known. */
export function watchOutages(toolbox: Toolbox): WatchedOutages {
  const notes: string[] = [];
  return {
    toolbox: {
      ...toolbox,
      async call(tool, args) {
        const value = await toolbox.call(tool, args);
        notes.push(noteOf(value));
        return value;
      },
    },
    sayOutages(answer, says) {
      const isNoted = (sentence: string) => notes.some((note) => note.includes(sentence));
      const isNothing = answer.kind === "text" && answer.voice === "none";
      const outages = [
        // The small print of an answer that found something says so too.
        ...(isNothing && isNoted(CHANNELS_UNREADABLE) ? [says.channelsUnavailable] : []),
        ...(isNoted(PROFILE_UNAVAILABLE) ? [says.profile.unavailable] : []),
        ...(isNoted(DOCUMENTS_UNREADABLE) ? [says.documentsUnavailable] : []),
      ];
      if (answer.kind !== "text" || outages.length === 0) return answer;
      if (isNothing) return { ...answer, text: [...outages, answer.text].join("\n") };
      const lines = answer.text.split("\n");
      // The small print stays the last line.
      lines.splice(lines.at(-1)?.startsWith("-# ") ? -1 : lines.length, 0, ...outages);
      return { ...answer, text: lines.join("\n") };
    },
  };
}

function noteOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  if ("unreachable" in value && value.unreachable === true) return CHANNELS_UNREADABLE;
  return "note" in value && typeof value.note === "string" ? value.note : "";
}
