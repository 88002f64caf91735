import { onTestFinished } from "vitest";
import { openSandbox, type Sandbox, sampleCommunity } from "../../sandbox/index.ts";
import type { ConsoleOptions } from "../../src/transports/console/open-console.ts";
import { toSandboxCommunity } from "../../src/transports/console/to-sandbox-community.ts";
import { traceAnswer } from "../../src/transports/console/trace-answer.ts";
import { openTestAgent, quoting, type TestAgentOptions } from "./agent.ts";
import { createTestPersonMemory, createTestPrivacy } from "./consent.ts";
import { openTestConsole, signIn } from "./console.ts";
import { openTestMemory } from "./memory.ts";

interface PersonConsoleOptions
  extends Partial<ConsoleOptions>,
    Pick<Partial<TestAgentOptions>, "answerer" | "rules" | "settings"> {
  /** The sample community's when absent. */
  readonly sandbox?: Sandbox;
}

/** The console over the real gate, agent and memory on a sandbox, for tests in which a person asks. */
export async function openPersonConsole({
  sandbox: given,
  answerer = quoting,
  rules,
  settings = { enabled: false },
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
  const test = await openTestConsole({
    ...options,
    community,
    traceAnswer: (asked) => traceAnswer(asked, { ...explaining, audit: inside.audit, store: inside.auditStore }),
    person: {
      ...{ ...inside, directory, privacy: createTestPrivacy(inside.consent) },
      personMemory: createTestPersonMemory({ ...inside, directory }),
      withheld: explaining,
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
