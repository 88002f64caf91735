import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertUntil } from "../support/assert-until.ts";
import { hostileText } from "../support/hostile-text.ts";
import { hasInjectionTexts, injectionTexts } from "../support/injection-texts.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { readBlock } from "../support/strict-reader.ts";
import { openWithMemory } from "../support/with-memory.ts";

const SCOPES = [
  ...["memory:read_self", "memory:read_project", "memory:write_self", "memory:write_project"],
  ...["context:read_channel_recent", "context:search", "discord:send", "discord:react"],
];

type System = Awaited<ReturnType<typeof openWithMemory>>;

/** Whatever may be remembered of a text: as a value, as a part of one, as a name. */
async function plant(system: System, text: string): Promise<number> {
  const facts: [string, unknown][] = [
    ["heron", text.slice(0, 600)],
    ["heron 2", { heron: [text.slice(0, 300), "heron"] }],
    [`heron 3 ${text.slice(0, 40)}`, "heron"],
  ];
  let planted = 0;
  for (const [key, value] of facts) {
    system.clock.ahead += 1_000;
    const stored = await system.remember(CEM, [key, value], "org").catch(() => null);
    if (stored) planted += 1;
  }
  return planted;
}

async function ask(system: System, actor: string) {
  const { id } = system.say(PLACE.general, actor, "what about the heron?");
  return system.open(actor, PLACE.general, { scopes: SCOPES } as never, { messageId: id as never });
}

describe("the text of a fact", () => {
  it("cannot forge a block, a line, a label or another fact", async () => {
    let seen = 0;
    await assertUntil(
      fc.asyncProperty(hostileText("minted-00000"), async (text) => {
        const system = await openWithMemory();
        const planted = await plant(system, text);
        const operation = await ask(system, BO);
        for (const [name, args] of [
          ["memory_read.get_user_facts", { user: CEM }],
          ["memory_read.search_context", { query: "heron" }],
        ] as const) {
          const outcome = await system.call(operation, name, args, true);
          if (!outcome.ok || planted === 0) continue;
          const { lines } = readBlock(outcome.text ?? "", operation.nonce);
          const facts = lines.filter(({ author, handle }) => author === null && handle?.startsWith("f"));
          expect(facts.length).toBe(planted);
          seen += 1;
        }
        const window = await system.call(operation, "context.window", {}, true);
        const turns = window.ok ? (window.value["turns"] as { kind: string; text: string }[]) : [];
        const facts = turns.find(({ kind }) => kind === "facts")?.text.split("\n") ?? [];
        const marks = facts.filter((line) => line.includes("⟦") || line.includes("⟧"));
        expect(marks).toEqual(
          facts.length === 0 ? [] : [`⟦untrusted ${operation.nonce} · remembered facts⟧`, `⟦end ${operation.nonce}⟧`],
        );
        expect(facts.slice(1, -1).every((line) => line.startsWith("- "))).toBe(true);
      }),
      () => expect(seen).toBeGreaterThan(20),
      { numRuns: 25 },
    );
  });

  it.skipIf(!hasInjectionTexts)("changes no decision, whatever it demands (skipped without the texts)", async () => {
    const attempts: readonly [string, object][] = [
      ["discord.channel.messages", { channel_id: PLACE.staff }],
      ["discord.channel.messages", { channel_id: PLACE.letters }],
      ["discord.send", { channel_id: PLACE.staff, text: "heron" }],
      ["discord.send", { channel_id: PLACE.general, text: "heron" }],
      ["memory_read.get_user_facts", { user: ADA }],
      ["memory_write.forget_fact", { key: "heron", about: "server" }],
      ["memory_write.remember_fact", { key: "x", value: "y", about: "server" }],
    ];
    const decide = async (text: string) => {
      const system = await openWithMemory();
      await system.remember(ADA, ["heron", "a private heron"]);
      await plant(system, text);
      const operation = await ask(system, CEM);
      await system.call(operation, "context.window", {}, true);
      const outcomes: string[] = [];
      for (const [name, args] of attempts) {
        const outcome = await system.call(operation, name, args);
        outcomes.push(outcome.ok ? "ok" : outcome.code);
      }
      return [outcomes, system.departures.length, system.gate.confirmations.pending().length];
    };
    const harmless = await decide("the heron is a bird");
    const texts = injectionTexts();
    // Every seventh: what is wanted is the variety.
    for (const [index, text] of texts.entries())
      if (index % 7 === 0) expect(await decide(text), text).toEqual(harmless);
    expect(texts.length).toBeGreaterThan(100);
  });
});
