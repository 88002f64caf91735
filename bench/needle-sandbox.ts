import { type Community, generateCommunity, openSandbox, type PostPlan } from "../sandbox/index.ts";

/** A channel whose oldest message holds a word that nobody else has said. */
export interface Haystack {
  readonly id: string;
  readonly messages: number;
  readonly word: string;
}

/** A million messages in a process of their own, so that what the product takes can be told apart from them. */
export interface BigSandbox {
  readonly api: string;
  readonly token: string;
  /** Somebody who may not enter the staff's rooms. */
  readonly actor: string;
  readonly here: string;
  readonly haystacks: Readonly<Record<"busiest" | "busy" | "usual" | "quiet" | "hidden", Haystack>>;
}

/** How many requests it has had so far is the answer to each. */
export type Order = "requests" | "refuse search";

const DAYS = 90;
const WORDS = { c0: "halyardmoth", c1: "bilgelantern", c50: "kelpwhistle", c498: "rudderghost", c7: "keelomen" };

function* withNeedles(posts: Community["posts"]): Generator<PostPlan> {
  for (const [key, word] of Object.entries(WORDS))
    yield { minutesAgo: (DAYS + 1) * 1_440, in: key, by: "p0", text: `the ${word} sleeps under the third pile` };
  yield* posts;
}

const plan = generateCommunity({ seed: 1, messages: 1_000_000, channels: 500, people: 200, days: DAYS });
let requests = 0;
const sandbox = await openSandbox({
  community: { ...plan, posts: { [Symbol.iterator]: () => withNeedles(plan.posts) } },
  rateLimits: false,
  onResponse() {
    requests += 1;
  },
});

function haystack(key: keyof typeof WORDS): Haystack {
  const id = sandbox.community.channels.get(key) ?? key;
  return { id, messages: [...(sandbox.world.channels.get(id)?.messages ?? [])].length, word: WORDS[key] };
}

process.on("disconnect", () => process.exit(0));
process.on("message", (order: Order) => {
  if (order === "refuse search")
    sandbox.faults.failRest({ match: "/messages/search", status: 404, times: Number.POSITIVE_INFINITY });
  process.send?.(requests);
});
const opened: BigSandbox = {
  api: sandbox.api,
  token: sandbox.token,
  actor: sandbox.as("p1").id,
  here: sandbox.community.channels.get("c2") ?? "",
  haystacks: {
    busiest: haystack("c0"),
    busy: haystack("c1"),
    usual: haystack("c50"),
    quiet: haystack("c498"),
    hidden: haystack("c7"),
  },
};
process.send?.(opened);
