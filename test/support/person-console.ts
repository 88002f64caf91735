import { onTestFinished } from "vitest";
import { openSandbox, type Sandbox, sampleCommunity } from "../../sandbox/index.ts";
import { openSignIns } from "../../src/app/open-sign-ins.ts";
import { toConfig } from "../../src/config/config.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { SignIns } from "../../src/policy/sign-ins.ts";
import type { ConsoleOptions } from "../../src/transports/console/open-console.ts";
import { toSandboxCommunity } from "../../src/transports/console/to-sandbox-community.ts";
import { traceAnswer } from "../../src/transports/console/trace-answer.ts";
import { openTestAgent, quoting, type TestAgentOptions, temporaryDatabase } from "./agent.ts";
import { createTestPersonMemory, createTestPrivacy } from "./consent.ts";
import { openTestConsole, signIn } from "./console.ts";
import { openByDiscord } from "./console-by-discord.ts";
import { openTestMemory } from "./memory.ts";
import { openTestDatabase } from "./test-database.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

interface PersonConsoleOptions
  extends Partial<ConsoleOptions>,
    Pick<Partial<TestAgentOptions>, "answerer" | "rules" | "settings"> {
  /** The sample community's when absent. */
  readonly sandbox?: Sandbox;
  /** Keys of people who are operators once they have signed in. */
  readonly operators?: readonly string[];
}

/** The console over the real gate, agent and memory on a sandbox, for tests in which a person asks. */
export async function openPersonConsole({
  sandbox: given,
  answerer = quoting,
  rules,
  settings = { enabled: false },
  operators = [],
  ...options
}: PersonConsoleOptions = {}) {
  const sandbox = given ?? (await openSandbox({ community: sampleCommunity(), rateLimits: false }));
  if (!given) onTestFinished(() => sandbox.close());
  const inside = await openTestAgent(sandbox, {
    ...{ answerer, openMemory: openTestMemory, settings, web: "https://discord.example" },
    ...(rules && { rules }),
  });
  const { discord } = inside.edge;
  const { directory, botId } = discord;
  const community = toSandboxCommunity(sandbox);
  const explaining = { directory, botId, rules: inside.rules };
  let signIns: SignIns | null = null;
  const database = await openTestDatabase(temporaryDatabase());
  onTestFinished(() => database.close());
  const test = await openTestConsole({
    ...options,
    async openSignIn(url) {
      const registerRedirects = (uris: readonly string[]) => {
        sandbox.admin.setRedirects(uris);
        const [application] = sandbox.world.applications.values();
        return { clientId: application?.id ?? "", clientSecret: application?.clientSecret ?? "" };
      };
      const people = await openSignIns(toConfig({}), {
        ...{ rules: inside.rules, audit: inside.audit, onEnd() {}, onReuse() {}, database, discord, url, log: QUIET },
        sandbox: { api: sandbox.api, registerRedirects },
      });
      signIns = people?.signIns ?? null;
      if (!people) throw new Error("people cannot sign in");
      return { ...people, operators: () => operators.map((who) => sandbox.as(who).id as UserId) };
    },
    community,
    traceAnswer: (asked) => traceAnswer(asked, { ...explaining, audit: inside.audit, store: inside.auditStore }),
    person: {
      ...{ ...inside, directory, privacy: createTestPrivacy(inside.consent) },
      personMemory: createTestPersonMemory({ ...inside, directory }),
      ...{ withheld: explaining, signIns: null },
    },
  });
  /** A session of a person, by key or id, chosen by an operator's session of its own. */
  const as = async (who: string) => {
    const operator = await signIn(test);
    const id = sandbox.community.people.get(who) ?? who;
    const { ask } = await operator.become(id);
    return { id, operator, ask };
  };
  /** A session of a person who signs in with Discord. */
  const asMember = (who: string) => openByDiscord(test.url, who);
  return { ...test, inside, sandbox, people: community.people(), as, asMember, signIns: signIns as SignIns | null };
}
