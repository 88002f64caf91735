import { EarshotError } from "../../domain/errors.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import { matchFacts } from "../../domain/memory/match-facts.ts";
import type { OwnFacts } from "../../gate/memory/own-facts.ts";
import type { CommandRun, Note } from "../../ports/discord.ts";
import type { ProposalDirectory } from "../kit/describe-proposal.ts";
import { describeWhy } from "../kit/describe-why.ts";
import { describeInstead } from "./memory-text.ts";
import { MAX_NOTE_LENGTH } from "./message-lines.ts";
import { toDiscordWords } from "./proposal-notes.ts";

/** Why one of somebody's own facts is remembered, in as few notes as hold it. */
export async function showWhy(
  run: CommandRun,
  facts: OwnFacts,
  directory: ProposalDirectory,
): Promise<readonly Note[]> {
  const { userId } = run;
  const { id, name } = await chooseFact(run, facts);
  const own = await facts.show(userId, id);
  const words = { ...toDiscordWords(userId, directory), directory };
  const lines = [...describeWhy(own, words), ...describeInstead(name, await facts.profile(userId))];
  const notes: string[] = [];
  for (const line of lines) {
    const last = notes.at(-1);
    if (last === undefined || last.length + line.length + 1 > MAX_NOTE_LENGTH) notes.push(line);
    else notes[notes.length - 1] = `${last}\n${line}`;
  }
  return notes.map((text) => ({ text }));
}

/** By the id that was suggested, or by a name or the beginning of an id that only one fact has. */
export async function chooseFact(
  { userId, options }: CommandRun,
  facts: Pick<OwnFacts, "listNames">,
): Promise<Pick<Fact, "id" | "name">> {
  const [chosen, ...others] = matchFacts(options.get("fact") ?? "", await facts.listNames(userId));
  if (others.length > 0)
    throw new EarshotError("invalid", "Several facts could be meant; pick one from the list that is suggested.");
  if (!chosen) throw new EarshotError("not_found", "You have no such fact.");
  return chosen;
}
