import type { UserId } from "../../domain/ids.ts";
import { quoteInput, quoteName, singleLine } from "../../domain/text/escape.ts";
import type { ProposalDirectory, ProposalWords } from "./describe-proposal.ts";

/** For text without formatting. */
export function toPlainWords(actor: UserId, directory: ProposalDirectory): ProposalWords {
  return {
    actor,
    directory,
    channel: (id) => `#${quoteName(directory.channel(id)?.name ?? id)}`,
    server: (id) => quoteName(directory.guild(id)?.name ?? id),
    value: (text) => quoteInput(singleLine(text), '"'),
    time: (ms) => new Date(ms).toISOString().slice(0, 16).replace("T", " "),
  };
}
