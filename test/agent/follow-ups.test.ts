import { describe, expect, it, onTestFinished } from "vitest";
import { AGENT } from "../../src/agent/agent-grant.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client } from "../../src/policy/operation.ts";
import { getRecentMessages } from "../../src/tools/get-recent-messages.ts";
import { answerWith, say } from "../support/agent.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { BOT, MASK, placeOf } from "../support/plain-world.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { deleteMessage, setOverwrite, setRoles } from "../support/twists.ts";

const SECRET = "4711";
const FIRST = `what was said about vault code ${SECRET}?`;
const NEXT = "and yesterday?";

const client = (name: string, more: Partial<Grant> = {}): Client => ({ name, grant: { ...OPERATOR_GRANT, ...more } });
const WALLED = client("walled", { confined: true, events: "none" });
const READER = client("reader", {
  scopes: OPERATOR_GRANT.scopes.filter((scope) => !scope.startsWith("discord:")),
  directMessages: false,
});
const OPERATOR = client("operator");

interface Where {
  readonly actor?: string;
  readonly channelId?: string | undefined;
  readonly isPrivate?: boolean;
  readonly for?: string;
}

interface Posting {
  readonly actor?: string;
  readonly channelId?: string;
  readonly replyTo?: string | null;
}

async function arrive(answerer = createBuiltinAnswerer()) {
  const answers = await openReusedAnswers();
  const world = smallWorld();
  const place = openAgentInProcess(world, { store: answers.store, answerer });
  onTestFinished(async () => {
    await place.closeAgent();
    answers.close();
  });
  const { agent, operations, gate } = place;
  const open = (by: Client, { actor = ADA, channelId = PLACE.general, ...more }: Where = {}) =>
    operations.open(by, { actor, channelId, ...more } as never);
  /** By a program; what it is told. */
  const ask = async (by: Client, text: string, where?: Where) => {
    const spoken = await agent.ask(await open(by, where), { text });
    return spoken.kind === "text" ? spoken.text : spoken.emoji;
  };
  /** In Discord; what is posted. */
  const post = async (text: string, { actor = ADA, channelId = PLACE.general, replyTo = null }: Posting = {}) => {
    place.visible.length = 0;
    await place.ask({ actor, channelId, text: `<@${BOT}> ${text}`, replyTo });
    return place.visible.map((act) => String(act["text"])).join("\n");
  };
  const read = async (by: Client, channelId: string) =>
    gate.callTool({
      name: getRecentMessages.name,
      args: {},
      operation: await open(by, { channelId, isPrivate: true }),
    });
  const last = (channelId: string, authorId: string) =>
    world.messages.get(channelId)?.findLast((one) => one.authorId === authorId)?.id ?? "";
  return { ...place, open, askBy: ask, post, read, last };
}

describe("what was asked before is not continued", () => {
  it("by the bot in public, where a confined program asked it for the same person with what it had read elsewhere", async () => {
    const { read, askBy, post } = await arrive();
    await read(WALLED, PLACE.staff);
    expect(await askBy(WALLED, FIRST)).toContain(SECRET);
    expect(await post(NEXT)).not.toContain(SECRET);
  });

  it.each([
    { from: "a program that may only read", by: READER },
    { from: "the operator's command line", by: OPERATOR },
  ])("by the bot in public, where $from asked it", async ({ by }) => {
    const { askBy, post } = await arrive();
    expect(await askBy(by, FIRST)).toContain(SECRET);
    expect(await post(NEXT)).not.toContain(SECRET);
  });

  it("by a program that may not read direct messages, where it was asked by direct message or by command", async () => {
    const { askBy, post, askPrivately, operations, agent } = await arrive();
    expect(await post(FIRST, { channelId: PLACE.letters })).toContain(SECRET);
    const operation = await operations.open(READER, { actor: ADA as never, isPrivate: true });
    const spoken = await agent.ask(operation, { text: NEXT });
    expect(spoken).toMatchObject({ kind: "text", text: expect.not.stringContaining(SECRET) });
    const where = { actor: ADA, channelId: PLACE.general };
    expect(await askPrivately({ ...where, text: FIRST })).toContain(SECRET);
    expect(await askBy(READER, NEXT, { isPrivate: true })).not.toContain(SECRET);
  });

  it("by a program for whom the answer is to be repeated in a channel", async () => {
    const { askBy } = await arrive();
    expect(await askBy(OPERATOR, FIRST, { isPrivate: true })).toContain(SECRET);
    expect(await askBy(OPERATOR, NEXT, { isPrivate: true, for: PLACE.general })).not.toContain(SECRET);
  });

  it("by the same program, once a channel that the question before was about is closed to the person", async () => {
    const { askBy, ...place } = await arrive();
    const where = { actor: BO, isPrivate: true };
    expect(await askBy(OPERATOR, FIRST, where)).toContain(SECRET);
    const [guild] = place.world.guilds;
    if (guild) setRoles(place, guild, { id: BO, roles: [] });
    expect(await askBy(OPERATOR, NEXT, where)).not.toContain(SECRET);
  });

  it("in public, once the question before was deleted, or somebody has come who cannot read it back", async () => {
    const { post, last, ...place } = await arrive();
    expect(await post(FIRST)).toContain(SECRET);
    deleteMessage(place, PLACE.general, last(PLACE.general, ADA));
    expect(await post(NEXT)).not.toContain(SECRET);
    expect(await post(FIRST)).toContain(SECRET);
    const general = placeOf(place.world, PLACE.general);
    if (general) setOverwrite(place, general, { id: CEM, type: 1, allow: 0n, deny: MASK.read });
    expect(await post("and today?")).not.toContain(SECRET);
  });

  it("by a reply to an answer to somebody else, once that answer's sources are closed to those who read there", async () => {
    const { post, last, ...place } = await arrive();
    expect(await post(FIRST, { actor: BO, channelId: PLACE.staff })).toContain(SECRET);
    const reply = { actor: ADA, channelId: PLACE.staff, replyTo: last(PLACE.staff, BOT) };
    expect(await post(NEXT, reply)).toContain(SECRET);
    const lounge = placeOf(place.world, PLACE.lounge);
    if (lounge) setOverwrite(place, lounge, { id: BO, type: 1, allow: 0n, deny: MASK.view });
    expect(await post(NEXT, reply)).not.toContain(SECRET);
  });
});

it("an answer that continues rests on what the question before rested on, until it leaves", async () => {
  const answerer = answerWith(async ({ text, before }, toolbox) => {
    const kept = await before();
    if (text === FIRST) await toolbox.call(getRecentMessages, { channel: `<#${PLACE.lounge}>` });
    const turn = { tool: "any", args: {}, question: text, language: "en", people: [], shown: [] };
    // Somebody of the staff loses sight of the lounge while the answer is written.
    if (kept) close();
    return say(`${text} ${kept?.question ?? ""}`.trim(), { turn });
  });
  const { post, ...place } = await arrive(answerer);
  const close = () => {
    const lounge = placeOf(place.world, PLACE.lounge);
    if (lounge) setOverwrite(place, lounge, { id: BO, type: 1, allow: 0n, deny: MASK.view });
  };
  expect(await post(FIRST, { channelId: PLACE.staff })).toContain(SECRET);
  expect(await post("go on", { channelId: PLACE.staff })).toBe("go on");
});

describe("what was asked before is continued", () => {
  it("by the same person, place and client: in public, by direct message, by command and by each program", async () => {
    const { askBy, post, askPrivately } = await arrive();
    for (const by of [WALLED, READER, OPERATOR]) {
      await askBy(by, FIRST);
      expect(await askBy(by, NEXT)).toContain(SECRET);
      await askBy(by, FIRST, { isPrivate: true });
      expect(await askBy(by, NEXT, { isPrivate: true })).toContain(SECRET);
    }
    for (const channelId of [PLACE.general, PLACE.letters]) {
      await post(FIRST, { channelId });
      expect(await post(NEXT, { channelId })).toContain(SECRET);
    }
    const where = { actor: ADA, channelId: PLACE.staff };
    await askPrivately({ ...where, text: FIRST });
    expect(await askPrivately({ ...where, text: NEXT })).toContain(SECRET);
  });

  it("only where the question refers to it, which is in the audit", async () => {
    const { askBy, open, agent, audit } = await arrive();
    const first = await open(OPERATOR);
    await agent.ask(first, { text: "what was said about tide?" });
    await askBy(OPERATOR, "what did nick3002 say about ropes?", { isPrivate: true });
    const next = await open(OPERATOR);
    await agent.ask(next, { text: "more" });
    const continued = audit.flatMap(({ kind, row }) => (kind === "event" && row.name === "continued" ? [row] : []));
    expect(continued).toMatchObject([
      { operation_id: next.id, detail_json: JSON.stringify({ operation_id: first.id }) },
    ]);
  });
});

describe("a choice under an answer", () => {
  const answerer = answerWith(async ({ text }, toolbox) => {
    await toolbox.call(getRecentMessages, { channel: `<#${PLACE.lounge}>` });
    return say(`You asked: ${text}`, { choices: [{ label: "This", question: FIRST }] });
  });

  it("is for the person who asked, through the client that answered, while they may know what it rests on", async () => {
    const { post, last, open, agent, ...place } = await arrive(answerer);
    await post("what?", { actor: BO, channelId: PLACE.staff });
    const choice = { answerId: last(PLACE.staff, BOT) as never, index: 0 };
    const press = async (actor: string, by = AGENT) =>
      agent.chosen(await open(by, { actor, channelId: PLACE.staff, isPrivate: true }), choice);
    expect(await press(BO)).toBe(FIRST);
    await expect(press(ADA)).rejects.toMatchObject({ code: "forbidden" });
    await expect(press(BO, OPERATOR)).rejects.toMatchObject({ code: "forbidden" });
    const lounge = placeOf(place.world, PLACE.lounge);
    if (lounge) setOverwrite(place, lounge, { id: BO, type: 1, allow: 0n, deny: MASK.view });
    await expect(press(BO)).rejects.toMatchObject({ code: "not_found" });
  });
});
