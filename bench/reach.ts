import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Community, generateCommunity, openSandbox, type PostPlan } from "../sandbox/index.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { openProduct, type Product } from "./product.ts";

/**
 * How far does search reach? A community of 22,616 messages in 12 channels, a forum and archived threads, in which answers were said at all times of
 * half a year. `--no-search`: on a server without a search of its own. Each question is asked with default arguments: right after a start, while history is being read in the background, and after that.
 */
const { values } = parseArgs({
  options: { json: { type: "boolean" }, pages: { type: "string" }, "no-search": { type: "boolean" } },
});
/** As the program reads by default. */
const PAGES_PER_SECOND = Number(values.pages ?? 4);
const DURING_MS = 20_000;
const DAYS = 180;
const MESSAGES = 22_616;

interface Planted {
  readonly question: string;
  readonly answer: string;
  /** Words of the question that many others have said too. */
  readonly common: readonly string[];
}

const PLANTED: readonly Planted[] = [
  toPlanted(
    "Where did we decide to store the spare rudder?",
    "The spare rudder stays in the loft above the sail room",
    ["store", "rudder"],
  ),
  toPlanted(
    "Which glue did Nadia recommend for the cracked hull?",
    "For the cracked hull Nadia swears by marine epoxy",
    ["hull", "glue"],
  ),
  toPlanted(
    "What was the name of the photographer at the summer regatta?",
    "The photographer of the summer regatta was Ilse Brandt",
    ["photographer", "summer"],
  ),
  toPlanted(
    "How much does the harbour charge for an overnight berth?",
    "An overnight berth costs 31 euros, the harbour told me",
    ["harbour", "charge"],
  ),
  toPlanted("When does the insurance of the trailer expire?", "The insurance of the trailer runs out on 4 March", [
    "insurance",
    "trailer",
  ]),
  toPlanted("Who has the key to the boathouse cellar?", "The cellar key is with Goran, he locks up on Thursdays", [
    "key",
    "boathouse",
  ]),
  toPlanted(
    "What did the surveyor say about the mast?",
    "Surveyor says the mast is fine, only the lower shroud is worn",
    ["mast", "surveyor"],
  ),
  toPlanted(
    "Which password manager are we switching to?",
    "We are moving everything to a password manager called Vaultwarden",
    ["password", "manager"],
  ),
  toPlanted(
    "How do we water the tomatoes during the holidays?",
    "Tomatoes: the drip hose is on a timer, nobody needs to come in the holidays",
    ["tomatoes", "holidays"],
  ),
  toPlanted("What size are the new life jackets for children?", "The life jackets for children are size 40 to 50", [
    "life",
    "children",
  ]),
  toPlanted(
    "Where is the recording of the annual meeting?",
    "I put the recording of the annual meeting on the club drive, folder assemblies",
    ["recording", "meeting"],
  ),
  toPlanted(
    "Which bakery delivers the rolls for the open day?",
    "Rolls for the open day come from the bakery Lindner",
    ["bakery", "open"],
  ),
  toPlanted("What is the serial number of the outboard motor?", "Serial number of the outboard: OM-77-2041", [
    "serial",
    "motor",
  ]),
  toPlanted(
    "Why was the spring cruise cancelled?",
    "The spring cruise fell through because the lock at Veer is closed",
    ["spring", "cruise"],
  ),
  toPlanted(
    "Who translates the newsletter into Danish?",
    "Freja does the Danish version of the newsletter from now on",
    ["newsletter", "translates"],
  ),
  toPlanted(
    "What was agreed about dogs in the clubhouse?",
    "Dogs are allowed in the clubhouse on a leash, not in the kitchen",
    ["dogs", "clubhouse"],
  ),
  toPlanted(
    "Which depth does the echo sounder show at the fuel jetty?",
    "At the fuel jetty the echo sounder shows 1.9 metres",
    ["depth", "fuel"],
  ),
  toPlanted(
    "How long is the waiting list for a mooring?",
    "The waiting list for a mooring is two and a half years now",
    ["waiting", "mooring"],
  ),
  toPlanted("What does the barometer in the hall need?", "The barometer in the hall needs a new aneroid capsule", [
    "barometer",
    "hall",
  ]),
  toPlanted(
    "Which knot did Piet show for the dinghy painter?",
    "Piet showed us the buntline hitch for the dinghy painter",
    ["knot", "dinghy"],
  ),
  toPlanted(
    "Where can we buy replacement hatches?",
    "Replacement hatches are sold by Vetus, second hand at Nautic Remise",
    ["buy", "replacement"],
  ),
  toPlanted("Who will referee the junior race?", "Referee of the junior race is Oluchi, she has the licence", [
    "junior",
    "race",
  ]),
];

/** In the archive: threads of channels, and posts of a forum. */
const ARCHIVED: readonly Planted[] = [
  toPlanted(
    "How was the leak at the keel bolts fixed?",
    "Leak fixed: new sealant under the washers of the keel bolts",
    ["leak", "bolts"],
  ),
  toPlanted("Which charts cover the Frisian islands?", "The Frisian islands are on chart set 3015", [
    "charts",
    "islands",
  ]),
  toPlanted("What is the wifi code of the guest network?", "Code of the guest wifi is on the back of the fridge", [
    "guest",
    "network",
  ]),
  toPlanted("How do I reset the bilge pump alarm?", "Bilge pump alarm: hold the red button for ten seconds", [
    "reset",
    "alarm",
  ]),
];

const ALL = [...PLANTED, ...ARCHIVED];
const SMALL_TALK = [
  "what do we decide about that",
  "where did you say that was",
  "who has been there and when",
  "which one is for the new people",
  "how much is it then",
  "why was that",
  "does the one we are talking about need more",
  "what was the name of that again",
];

function toPlanted(question: string, answer: string, common: readonly string[]): Planted {
  return { question, answer, common };
}

/** What was planted, with things that others said in some of the same words, all over the time. */
function* withAnswers(posts: Community["posts"]): Generator<PostPlan> {
  const extra: PostPlan[] = [];
  const room = (index: number) => `c${[0, 1, 2, 4, 5, 6, 8, 9, 10][index % 9]}`;
  for (const [index, { answer }] of PLANTED.entries())
    extra.push({
      minutesAgo: toMinutes(0.06 + (0.93 * index) / PLANTED.length),
      in: room(index),
      by: "p2",
      text: answer,
    });
  for (const [index, { answer }] of ARCHIVED.entries()) {
    const minutesAgo = toMinutes(0.3 + 0.2 * index);
    const isPost = index % 2 === 0;
    const thread = { key: `archived${index}`, name: isPost ? `Question ${index}` : `Thread ${index}`, archived: true };
    extra.push({ minutesAgo, in: isPost ? "forum" : room(index), by: "p3", text: "Has anybody an idea?", thread });
    extra.push({ minutesAgo: minutesAgo - 5, in: thread.key, by: "p2", text: answer });
  }
  for (const [index, { common }] of ALL.entries())
    for (let count = 0; count < 60; count += 1) {
      const word = common[count % common.length] ?? "";
      const part = ((index * 60 + count) * 0.618) % 1;
      extra.push({
        minutesAgo: toMinutes(part),
        in: room(index + count),
        by: "p4",
        text: `${SMALL_TALK[(index + count) % SMALL_TALK.length]} ${word}`,
      });
    }
  extra.sort((a, b) => b.minutesAgo - a.minutesAgo);
  let next = 0;
  let skipped = 0;
  for (const post of posts) {
    while ((extra[next]?.minutesAgo ?? -1) >= post.minutesAgo) yield extra[next++] as PostPlan;
    // In the place of something else, so that the number of messages stays.
    const isNeeded = post.key !== undefined || post.thread !== undefined;
    if (skipped < extra.length && !isNeeded && post.minutesAgo % 7 < 2) skipped += 1;
    else yield post;
  }
  while (next < extra.length) yield extra[next++] as PostPlan;
}

function toMinutes(part: number): number {
  return Math.round(part * DAYS * 1_440);
}

const plan = generateCommunity({ seed: 5, messages: MESSAGES, channels: 12, people: 60, days: DAYS });
const forum = { key: "forum", name: "questions", kind: "forum" as const, category: "rooms", tags: ["solved"] };
let requests = 0;
const sandbox = await openSandbox({
  community: {
    ...plan,
    channels: [...plan.channels, forum],
    posts: { [Symbol.iterator]: () => withAnswers(plan.posts) },
  },
  rateLimits: false,
  onResponse() {
    requests += 1;
  },
});
if (values["no-search"])
  sandbox.faults.failRest({ match: "/messages/search", status: 501, times: Number.POSITIVE_INFINITY });
const clock = { now: () => Date.now() };
const actor = sandbox.as("p1").id;
const channelId = sandbox.community.channels.get("c2") ?? "";
const reading = { readsAhead: true, backgroundIntervalMs: 1_000 / PAGES_PER_SECOND };

interface Answer {
  readonly hits: readonly { readonly message: { readonly content: string } }[];
  readonly coverage: { readonly scanned: number; readonly complete: boolean };
  readonly still_reading: boolean;
}

class Stage {
  readonly #name: string;
  readonly found = { channels: 0, archived: 0 };
  #scanned = 0;
  #requests = 0;
  #complete = 0;
  #reading = 0;
  #milliseconds = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async ask(product: Product, { question, answer }: Planted): Promise<void> {
    const before = requests;
    const start = performance.now();
    const { value } = await product.ask({ name: "search_messages", args: { query: question }, actor, channelId });
    const { hits, coverage, still_reading } = value as Answer;
    const isFound = hits.some(({ message }) => message.content === answer);
    if (isFound) this.found[ARCHIVED.some((one) => one.answer === answer) ? "archived" : "channels"] += 1;
    this.#milliseconds += performance.now() - start;
    this.#requests += requests - before;
    this.#scanned += coverage.scanned;
    this.#complete += Number(coverage.complete);
    this.#reading += Number(still_reading);
  }

  toRow(): Row {
    const { channels, archived } = this.found;
    const each = (sum: number) => Math.round(sum / ALL.length).toLocaleString("en");
    return {
      what: this.#name,
      figure: `${channels + archived} of ${ALL.length}`,
      note: `${archived} of ${ARCHIVED.length} in archives; each: ${each(this.#scanned)} messages examined, ${(this.#requests / ALL.length).toFixed(1)} REST calls, ${each(this.#milliseconds)} ms; complete ${this.#complete}, still reading ${this.#reading}`,
    };
  }
}

const rows: Row[] = [];
const cold = new Stage("right after a start");
for (const planted of ALL) {
  const product = await openProduct(sandbox, clock, reading);
  await cold.ask(product, planted);
  await product.close();
}
rows.push(cold.toRow());
const product = await openProduct(sandbox, clock, reading);
const start = performance.now();
const before = requests;
await sleep(DURING_MS);
const during = new Stage(`${DURING_MS / 1_000} s after a start (REST calls include the background's)`);
for (const planted of ALL) await during.ask(product, planted);
rows.push(during.toRow());
while (product.timelines.stats().unread > 0 || product.timelines.stats().guildsRead === 0) await sleep(100);
const seconds = Math.round((performance.now() - start) / 1_000);
const filling = requests - before;
const after = new Stage("after history was read");
for (const planted of ALL) await after.ask(product, planted);
rows.push(after.toRow());
const { messages, bytes, timelines } = product.timelines.stats();
rows.push({
  what: "reading history",
  figure: `${seconds} s`,
  note: `${filling} REST calls at ${PAGES_PER_SECOND} pages a second; ${messages.toLocaleString("en")} messages of ${timelines} channels and threads held, ${Math.round(bytes / 1_048_576)} MB`,
});
await product.close();
if (values.json)
  console.log(JSON.stringify({ cold: cold.found, during: during.found, after: after.found, seconds, filling }));
else
  printTable(
    `Answers found among ${MESSAGES.toLocaleString("en")} messages in 12 channels, with default arguments`,
    rows,
  );
await sandbox.close();
process.exit(0);
