import { onTestFinished } from "vitest";
import { openSandbox, type Sandbox, sampleCommunity } from "../../sandbox/index.ts";
import { toSandboxCommunity } from "../../src/to-sandbox-community.ts";
import type { ConsoleOptions } from "../../src/transports/console/open-console.ts";
import { openTestAgent, quoting, type TestAgentOptions } from "./agent.ts";
import { createTestPersonMemory, createTestPrivacy } from "./consent.ts";
import { openTestConsole, signIn } from "./console.ts";
import { openTestMemory } from "./memory.ts";

interface PersonConsoleOptions extends Partial<ConsoleOptions>, Pick<Partial<TestAgentOptions>, "answerer" | "rules"> {
  /** The sample community's when absent. */
  readonly sandbox?: Sandbox;
}

/** The console over the real gate, agent and memory on a sandbox, for tests in which a person asks. */
export async function openPersonConsole({
  sandbox: given,
  answerer = quoting,
  rules,
  ...options
}: PersonConsoleOptions = {}) {
  const sandbox = given ?? (await openSandbox({ community: sampleCommunity(), rateLimits: false }));
  if (!given) onTestFinished(() => sandbox.close());
  const inside = await openTestAgent(sandbox, {
    ...{ answerer, openMemory: openTestMemory, settings: { enabled: false }, web: "https://discord.example" },
    ...(rules && { rules }),
  });
  const { discord } = inside.edge;
  const { directory, botId } = discord;
  const community = toSandboxCommunity(sandbox);
  const test = await openTestConsole({
    ...options,
    community,
    person: {
      ...{ ...inside, directory, privacy: createTestPrivacy(inside.consent) },
      personMemory: createTestPersonMemory({ ...inside, directory }),
      withheld: { directory, botId, rules: inside.rules },
    },
  });
  /** A session of a person, by key or id, chosen by an operator's session of its own. */
  const as = async (who: string) => {
    const operator = await signIn(test);
    const id = sandbox.community.people.get(who) ?? who;
    const { ask } = await operator.become(id);
    return { id, operator, ask };
  };
  return { ...test, inside, sandbox, people: community.people(), as };
}
