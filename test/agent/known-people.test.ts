import { expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { DiscordProfile } from "../../src/profiles/discord-profile.ts";
import { type AgentInProcess, openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { createTestConsent } from "../support/consent.ts";
import { openMemoryForTest } from "../support/memory.ts";
import { NOW } from "../support/plain-discord.ts";
import { BOT } from "../support/plain-world.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { SHARED } from "../support/with-memory.ts";

const NAMES = new Map([
  [ADA, "Mark"],
  [BO, "Sarah"],
  [CEM, "Cem"],
]);
const MARQUEE = "the marquee is up since noon";

/** Mark has told his time zone to everyone, and a present to nobody; what Discord says is known of all. */
async function arrive() {
  const answers = await openReusedAnswers();
  const consent = createTestConsent();
  const { memory, close } = await openMemoryForTest({ consent, clock: { now: () => NOW } });
  const world = smallWorld();
  for (const member of world.guilds[0]?.members ?? []) member.nick = NAMES.get(member.id) ?? member.nick;
  const said = () => world.messages.get(PLACE.general) ?? [];
  const [first] = said();
  if (first) first.content = MARQUEE;
  const inside: { test: AgentInProcess | null } = { test: null };
  const profile = new DiscordProfile({
    guild: (id) => inside.test?.directory.guild(id),
    member: (id, person) => inside.test?.directory.member(id, person),
    roles: (id) => inside.test?.directory.roles(id) ?? [],
  });
  const test = openAgentInProcess(world, {
    ...{ memory, consent, rules: SHARED, store: answers.store },
    profiles: [profile],
  });
  inside.test = test;
  onTestFinished(async () => {
    await test.closeAgent();
    close();
    answers.close();
  });
  const channelId = PLACE.general as never;
  const remember = { typedIn: "1", channelId };
  const mark = ADA as UserId;
  await test.ownMemory?.remember(mark, { ...remember, key: "timezone", value: "Azores", visibility: "org" });
  await test.ownMemory?.remember(mark, { ...remember, key: "present", value: "a brass clock", visibility: "private" });
  /** What is answered in general, for all to read. */
  const ask = async (text: string, actor = CEM) => {
    await test.ask({ actor, channelId: PLACE.general, text: `<@${BOT}> ${text}` });
    return said().findLast(({ authorId }) => authorId === BOT)?.content ?? "";
  };
  return { ...test, ask };
}

it.each([
  "which roles does Mark have?",
  "does Mark have the admiral role?",
  "welche Rollen hat Mark?",
  "¿qué roles tiene Mark?",
  "quels sont les rôles de Mark ?",
  "quais cargos o Mark tem?",
])("the agent answers %j with the roles that Discord shows", async (text) => {
  const { ask } = await arrive();
  const answer = await ask(text);
  expect(answer).toMatch(/roles: “staff”/);
  expect(answer).not.toContain("joined");
});

it.each(["when did Mark join?", "how long has Mark been here?", "seit wann ist Mark hier?"])(
  "the agent answers %j with the day that Discord shows",
  async (text) => {
    const { ask } = await arrive();
    expect(await ask(text)).toMatch(/joined: “\d{4}-\d\d-\d\d”/);
  },
);

it.each(["what is Mark's time zone?", "what time zone is Mark in?", "which timezone does Mark have?"])(
  "the agent answers %j with the fact of that key, however it is spelt",
  async (text) => {
    const { ask } = await arrive();
    expect(await ask(text)).toContain("Azores");
  },
);

it.each(["who is Mark?", "what do you know about Mark?", `tell me about <@${ADA}>`, "wer ist Mark?"])(
  "the agent answers %j with all that everyone there may hear, and no more",
  async (text) => {
    const { ask, askPrivately } = await arrive();
    for (const actor of [CEM, ADA]) {
      const answer = await ask(text, actor);
      for (const known of ["staff", "joined", "Azores"]) expect(answer).toContain(known);
      expect(answer).not.toContain("brass");
    }
    const asking = { channelId: PLACE.general, text };
    expect(await askPrivately({ ...asking, actor: CEM })).not.toContain("brass");
    expect(await askPrivately({ ...asking, actor: ADA })).toContain("brass");
  },
);

it("the agent answers what was said about a word that only resembles a name", async () => {
  const { ask } = await arrive();
  const answer = await ask("tell me about marquee");
  expect(answer).toContain(MARQUEE);
  expect(answer).not.toContain("Azores");
});

it("the agent tells what is known of somebody whose name is misspelt where nothing was said about that word", async () => {
  const { ask } = await arrive();
  expect(await ask("who is Saraah?")).toMatch(/display name: “Sarah”/);
});

it("the agent says of whom it knows nothing that it found nothing", async () => {
  const { ask } = await arrive();
  expect(await ask("who is Zorro?")).toContain("No messages found matching 'Zorro'");
  expect(await ask("which roles does Zorro have?")).toContain("Could not find user 'Zorro'");
});

it("a question that names only another person after one about what is known asks the same about them", async () => {
  const { ask } = await arrive();
  expect(await ask("who is Mark?")).toContain("Azores");
  expect(await ask("and Sarah?")).toMatch(/Sarah, joined/);
  expect(await ask("what roles does she have?")).toMatch(/Sarah, roles: “staff”/);
});
