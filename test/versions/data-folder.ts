import { type Config, toConfig } from "../../src/config/config.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openAuditOf, openAuditReader, openMemoryOf, openStorageOf } from "../../src/storage/durable-parts.ts";
import { createAnswerStore } from "../../src/stores/answer-store.ts";
import { aDecision, anOperation } from "../audit/entries.ts";
import { toNewFact } from "../support/new-fact.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const [SARAH, MARK] = ["11", "12"] as UserId[] as [UserId, UserId];
const CLAIM = {
  ...{ questionId: "100", channelId: "7" as ChannelId, actorId: SARAH, operationId: "operation-1" },
  ...{ claimedAt: 1_000 },
};

const ENTRIES = [anOperation(), aDecision()];

/** Keeps something in each part of a data folder, with the stores of today. */
export async function fillDataFolder(folder: string): Promise<void> {
  const { database, audit, memory, close } = await openDataFolder(folder);
  for (const entry of ENTRIES) audit.note(entry);
  await audit.settled();
  await memory.vault.add(toNewFact("oak", { user: SARAH }));
  await memory.consent.leaveOut(MARK);
  await createAnswerStore(database).claim(CLAIM);
  await close();
}

/** What a start of today finds of that. */
export async function readDataFolder(folder: string): Promise<unknown> {
  const { config, database, memory, close } = await openDataFolder(folder);
  const facts = await memory.vault.open(await memory.facts.find({}, { limit: 10 }));
  const claim = await createAnswerStore(database).find(CLAIM.questionId);
  const found = {
    facts: facts.map(({ fact, content }) => [fact.row.scope_id, content.name, content.value]),
    leftOut: [SARAH, MARK].filter((person) => memory.consent.isLeftOut(person)),
    claim,
  };
  await close();
  const reader = await openAuditReader(config);
  const [verification, operation] = [await reader.verify(), await reader.operation("operation-1")];
  await reader.close();
  return { ...found, audit: { isWhole: verification.ok, operation } };
}

/** What `readDataFolder` finds in a folder that `fillDataFolder` has filled, whichever version did. */
export const KEPT = {
  facts: [[SARAH, "Favourite colour", "oak"]],
  leftOut: [MARK],
  claim: {
    ...{ ...CLAIM, state: "claimed", attempts: 1, attemptedAt: CLAIM.claimedAt, postedAt: CLAIM.claimedAt },
    ...{ answerIds: [], sources: [] },
  },
  audit: { isWhole: true, operation: ENTRIES },
};

/** Opens the parts of a data folder as a start does. */
async function openDataFolder(folder: string) {
  // For good, however old a kept folder becomes.
  const config: Config = toConfig({ dataDir: folder, audit: { retentionDays: 36_500 } });
  const closers: (() => Promise<void>)[] = [];
  const { database, storage, keep } = await openStorageOf(config, quiet, closers);
  const { audit } = await openAuditOf(config, database, quiet, closers);
  const memory = await openMemoryOf({ ...config, erasesLostFacts: false, storage }, database, quiet, closers);
  await keep();
  const close = async () => {
    for (const end of closers.reverse()) await end();
  };
  return { config, database, audit, memory, close };
}
