import { setTimeout as sleep } from "node:timers/promises";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import type { Answerer } from "../src/agent/answerer.ts";
import { createBuiltinAnswerer } from "../src/agent/builtin/builtin-answerer.ts";
import { createModelAnswerer } from "../src/agent/model/model-answerer.ts";
import { openAgent } from "../src/agent/open-agent.ts";
import type { UserId } from "../src/domain/ids.ts";
import { createChatModel } from "../src/models/openai/create-chat-model.ts";
import { FairQueue } from "../src/policy/fair-queue.ts";
import { createAnswerStore } from "../src/stores/answer-store.ts";
import { createTestConsent } from "../test/support/consent.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { measureSteps } from "./agent-steps.ts";
import { LAST_WORDS, openInstantModel } from "./instant-model.ts";
import { openProduct } from "./product.ts";

/**
 * How long does somebody wait who speaks to the bot? From the moment a message is said until the first sign of the bot (that it is typing, or the
 * beginning of the answer) and until the answer is complete, over real sockets on the sample community, without rate limits. Beside it an answerer that
 * says one word: what the way there and back costs; and a model that answers at once, after one search. Then what a step costs around a model.
 */
const QUESTIONS = ["when is the tide?", "what did mark say about the keel?", "who has the keys?", "what did I miss?"];
const PEOPLE = ["sarah", "mark", "grace", "omar", "anjali", "fatima", "lena", "rosa", "nadia", "wren"];
const oneWord: Answerer = {
  answer: async () => ({ kind: "text", text: "Yes.", sources: new Map(), turn: null }),
};

/** `lastWords`: with which an answer is complete; any is unless given. */
async function measure(what: string, answerer: Answerer, { atOnce, lastWords = "" }: Load): Promise<Row> {
  const clock = { now: () => Date.now() };
  const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
  const product = await openProduct(sandbox, clock);
  const { discord, core, audit, timelines } = product;
  for (const { id } of discord.directory.guilds())
    for (const channel of discord.directory.channels(id))
      if (discord.directory.canRead(discord.botId, channel.id))
        await timelines.recent(channel.id, { limit: 500 }).catch(() => undefined);
  const signs = new Map<string, number>();
  const noteSign = (question: string) => {
    if (!signs.has(question)) signs.set(question, performance.now());
  };
  const agent = openAgent({
    ...core,
    answers: {
      ...core.answers,
      async showTyping(operation, signal) {
        await core.answers.showTyping(operation, signal);
        noteSign(operation.origin.messageId ?? "");
      },
    },
    ...{ discord, audit, answerer, clock, timeZone: "UTC" },
    store: createAnswerStore(product.database),
    consent: createTestConsent(),
    settings: { enabled: true, off: [], catchUpMinutes: 0, retentionDays: 90 },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const asked = new Map<string, number>();
  const answered = new Map<string, number>();
  const stop = discord.listen((event) => {
    if (event.type !== "message" && event.type !== "message_update") return;
    const { author, reply_to, content } = event.message;
    const question = reply_to?.message_id;
    if (!question || author.id !== (discord.botId as UserId)) return;
    noteSign(question);
    if (!answered.has(question) && content.includes(lastWords)) answered.set(question, performance.now());
  });
  const ask = (index: number) => {
    const person = sandbox.as(PEOPLE[index % PEOPLE.length] ?? "sarah");
    const began = performance.now();
    const { id } = person.say("general", `<@${discord.botId}> ${QUESTIONS[index % QUESTIONS.length]}`);
    asked.set(id, began);
  };
  const rounds = Math.max(1, Math.floor(20 / atOnce));
  for (let round = 0; round <= rounds; round += 1) {
    if (round === 1) {
      asked.clear();
      answered.clear();
      signs.clear();
    }
    for (let index = 0; index < atOnce; index += 1) ask(round * atOnce + index);
    while (answered.size < asked.size) await sleep(1);
  }
  stop();
  const format = (times: ReadonlyMap<string, number>) => {
    const waits = [...asked].map(([id, began]) => (times.get(id) ?? 0) - began).sort((a, b) => a - b);
    const at = (share: number) => (waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0).toFixed(0);
    return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms`;
  };
  await agent.close();
  await product.close();
  await sandbox.close();
  return { what: `${what}, ${atOnce} at once`, figure: format(answered), note: `first sign: ${format(signs)}` };
}

interface Load {
  readonly atOnce: number;
  readonly lastWords?: string;
}

const model = await openInstantModel(1);
const withModel = createModelAnswerer({
  model: createChatModel({ baseUrl: model.url, name: "instant" }),
  contextTokens: 32_768,
  builtin: createBuiltinAnswerer(),
  queue: new FairQueue({ running: 2, runningPerOwner: 1, waitingPerOwner: 4 }),
  clock: { now: () => Date.now() },
  log: { debug() {}, info() {}, warn() {}, error() {} },
});
const rows: Row[] = [];
for (const atOnce of [1, 10, 50]) {
  rows.push(await measure("one word", oneWord, { atOnce }));
  rows.push(await measure("the built-in answerer", createBuiltinAnswerer(), { atOnce }));
  rows.push(await measure("an instant model", withModel, { atOnce, lastWords: LAST_WORDS }));
}
await model.close();
printTable("from a question to its answer", rows);
printTable("from the model's answer to the next request", await measureSteps());
process.exit(0);
