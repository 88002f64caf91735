import { describe, expect, it, onTestFinished } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { openTestAgent } from "../support/agent.ts";
import { openFolders } from "../support/plain-documents.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const HANDBOOK = "# Workshop\n\n## Booking\nWrite your name on the *slate* by the door.\nFour hours at most.\n";
const QUOTED = "“Write your name on the \\*slate\\* by the door. Four hours at most.”";

/** A handbook for everybody, and notes for the staff, of whom Mei is one. */
async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const { guild, roles } = sandbox.community;
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel", "SendMessages"] });
  const folders = await openFolders(
    [
      { name: "handbook", audience: { kind: "guild", id: guild.id as never }, files: { "workshop.md": HANDBOOK } },
      {
        ...{ name: "notes", files: { "keys.md": "# Spare key\n\nThe spare key lies in the drawer." } },
        audience: { kind: "role", guildId: guild.id as never, id: roles.get("staff") as never },
      },
    ],
    20,
  );
  onTestFinished(() => folders.close());
  const test = await openTestAgent(sandbox, { answerer: createBuiltinAnswerer(), documents: folders.documents });
  const ask = (person: string, words: string) =>
    sandbox.as(person).say("general", `<@${test.edge.discord.botId}> ${words}`);
  return { ...test, ...folders, sandbox, ask };
}

describe("an agent with documents", () => {
  it("says how something is done by the handbook, and cites name, headings and lines", async () => {
    const { ask, answerTo, store, audited, agent } = await arrive();
    const question = ask("sarah", "how do I book the workshop?");
    const answer = await answerTo(question.id);
    expect(answer.content).toContain(`${QUOTED} (handbook › Workshop › Booking, lines 4–5)`);
    await expect.poll(async () => (await store.find(question.id))?.sources.length).toBe(1);
    // What the button under it lists are messages, which a passage is not.
    expect(await agent.sourcesOf(answer.message_id)).toEqual([]);
    const answered = audited.flatMap((entry) =>
      entry.kind === "event" && entry.row.name === "agent_answered" ? [JSON.parse(entry.row.detail_json)] : [],
    );
    expect(answered).toMatchObject([{ cites: 1, unknown_citations: 0 }]);
  });

  it("answers where nobody said anything, and in nobody's hearing who may not know", async () => {
    const { ask, answerTo } = await arrive();
    const where = "where is the spare key?";
    for (const person of ["sarah", "mei"])
      expect((await answerTo(ask(person, where).id)).content).not.toMatch(/drawer|notes/);
  });

  it("says that documents cannot be read, to those who may hear them, where it answers from what was said", async () => {
    const { ask, answerTo, remove, documents, sandbox } = await arrive();
    sandbox.as("mark").say("general", "the workshop is open for a booking again");
    remove("notes");
    await expect.poll(() => documents.stats().unreadable).toBe(1);
    const outage = "Some documents could not be read just now.";
    expect((await answerTo(ask("sarah", "how do I book the workshop?").id)).content).not.toContain(outage);
    remove("handbook");
    await expect.poll(() => documents.stats().unreadable).toBe(2);
    const { content } = await answerTo(ask("mark", "how do I book the workshop?").id);
    expect(content).toContain("open for a booking");
    expect(content).toMatch(new RegExp(`^${outage}\n`));
  });

  it("takes its answer back when people come to see it who may not hear the document", async () => {
    const { answerTo, sandbox, edge } = await arrive();
    const question = sandbox.as("mei").say("staff-room", `<@${edge.discord.botId}> where is the spare key?`);
    const answer = await answerTo(question.id);
    expect(answer.content).toContain("drawer");
    sandbox.admin.setOverwrite("staff-room", "everyone", { allow: ["ViewChannel", "ReadMessageHistory"] });
    const said = () => [...(sandbox.world.channels.get(answer.channel_id)?.messages ?? [])].map(({ id }) => id);
    await expect.poll(said).not.toContain(answer.message_id);
  });

  it("takes its answer back when the passage is taken out of the document", async () => {
    const { ask, answerTo, sandbox, put } = await arrive();
    const question = ask("sarah", "how can I book the workshop?");
    const answer = await answerTo(question.id);
    put("handbook", "workshop.md", "# Workshop\n\n## Booking\nAsk Olga.\n");
    const said = () => [...(sandbox.world.channels.get(answer.channel_id)?.messages ?? [])].map(({ id }) => id);
    // Other words under the same heading are an edit, which answers outlive.
    await expect
      .poll(async () => (await answerTo(ask("mark", "how do I book the workshop?").id)).content)
      .toContain("Olga");
    expect(said()).toContain(answer.message_id);
    put("handbook", "workshop.md", "# Workshop\n\nClosed.\n");
    await expect.poll(said).not.toContain(answer.message_id);
  });
});
