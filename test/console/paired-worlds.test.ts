import { expect, it, vi } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { CommunityLine } from "../../src/transports/console/stream-community.ts";
import { FOR_OPERATOR, openRoutes } from "../support/console-routes.ts";
import { openPersonConsole } from "../support/person-console.ts";
import { readLines } from "../support/read-lines.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 120_000 });

const STREAM = "/console/community/live";
const SECRET = "petrel password";

/** A community in which the bot reads the staff's room and Sarah does not, after so many things were said there. */
async function openWorld(said: readonly string[]) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const test = await openPersonConsole({ sandbox, answerer: createBuiltinAnswerer(), settings: { enabled: true } });
  const { edge, ownMemory } = test.inside;
  const [general = "", staff = ""] = ["general", "staff-room"].map((key) => sandbox.community.channels.get(key));
  const note = { attachments: [{ filename: "note.txt", contentType: "text/plain", bytes: Buffer.from("the note") }] };
  const open = sandbox.as("mark").say("general", { content: "petrel repairs are on Monday", ...note });
  const texts = said.map((content) => sandbox.as("mei").say("staff-room", { content, ...note }));
  // The sandbox names what is withheld, so both communities have it.
  const { id: thread } = sandbox.as("mei").openThread({ in: "staff-room" }, "plans");
  for (const content of said) sandbox.as("mei").say(thread, content);
  const hidden = texts.at(-1) ?? open;
  await edge.find("message", ({ message }) => message.message_id === hidden.id);
  const id = sandbox.as("sarah").id as UserId;
  const [boat, hat] = await Promise.all(
    ["boat", "hat"].map((key) =>
      ownMemory?.remember(id, {
        ...{ key, value: "petrel", visibility: "private", channelId: general as ChannelId, typedIn: "1" },
      }),
    ),
  );
  sandbox.as("sarah").say("general", `<@${edge.discord.botId}> when are the petrel repairs?`);
  await edge.find("message", ({ message }) => message.author.id === edge.discord.botId);
  const inside = (message: typeof open, channelId: string) => ({
    ...{ channelId, messageId: message.id, fileId: message.more?.attachments?.[0]?.id },
  });
  const { ask } = await test.asMember("sarah");
  return { sandbox, ask, general, staff, open: inside(open, general), hidden: inside(hidden, staff), boat, hat };
}

type World = Awaited<ReturnType<typeof openWorld>>;
const toRef = ({ channelId, messageId }: World["open"]) => ({ channel_id: channelId, message_id: messageId });

/** What Sarah asks of each route, of what she sees and of what she does not. What ends something comes last. */
const ASKED: Readonly<Record<string, (world: World) => readonly object[]>> = {
  "/console/session/show": () => [{}],
  [STREAM]: () => [{}],
  "/console/community/messages": ({ general, staff, hidden }) => [
    ...[{ channelId: general }, { channelId: staff }],
    { channelId: general, before: hidden.messageId },
  ],
  "/console/community/commands": ({ general, staff }) => [{ channelId: general }, { channelId: staff }],
  "/console/community/last-answer": ({ general, staff }) => [{ channelId: general }, { channelId: staff }],
  "/console/community/file": ({ open, hidden }) => [open, hidden],
  "/console/community/act": ({ open, hidden }) => [
    ...[open, hidden].map((message) => ({ kind: "react", ...message, emoji: "🦭", isRemoved: false })),
    ...[open, hidden].map((message) => ({ kind: "thread", ...message, title: "more" })),
    ...[open, hidden].map(({ channelId }) => ({ kind: "say", channelId, text: "hello" })),
  ],
  "/console/me/places": () => [{}],
  "/console/me/search": ({ staff }) => [
    ...[{ query: "petrel" }, { query: "password" }, { query: "petrel", channel: "staff-room" }],
    ...[
      { query: "", channel: staff },
      { query: "petrel", from: "mei" },
    ],
  ],
  "/console/me/ask": () => [{ question: "petrel?" }, { question: "what is the password?" }],
  "/console/me/could-tell": ({ open, hidden }) => [{ messages: [toRef(open)] }, { messages: [toRef(hidden)] }],
  "/console/me/withheld": () => [{}],
  "/console/me/programs/list": () => [{}],
  "/console/me/programs/end": () => [{}, { id: "another's" }],
  "/console/me/memory/list": () => [{}],
  "/console/me/memory/why": ({ boat }) => [{ fact_id: boat?.id }],
  "/console/me/memory/forget": ({ hat }) => [{ fact_id: hat?.id }],
  "/console/me/memory/export": () => [{}],
  "/console/me/memory/erase": () => [{ confirm: false }, { confirm: true }],
  "/console/me/leave-out": () => [{}],
  "/console/session/end": () => [{}],
};

/** The lines until somebody has said something that Sarah sees, after more was said where she does not. */
async function readStream({ sandbox }: World, response: Response, said: readonly string[]): Promise<string> {
  const next = readLines<CommunityLine>(response);
  const lines = [await next()];
  for (const text of said) sandbox.as("mei").say("staff-room", text);
  sandbox.as("mark").say("general", "the gulls are back");
  while (lines.at(-1)?.kind !== "message") lines.push(await next());
  await response.body?.cancel().catch(() => undefined);
  return JSON.stringify(lines);
}

/** Ids, times and addresses of files, which no two communities share. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/\b([0-9a-f]{36}|\d{15,20})\b/g, "id")
    .replaceAll(/http:\/\/127\.[^"\\]+/g, "address")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\b(now|\d+ \w+ ago|\w{3} \d+, \d{4})\b/g, "time")
    .replaceAll(/"(at|askedAt|milliseconds|openedAt|expiresAt)":\d+/g, '"$1":0');
}

it("every route that a person may ask gives the same bytes whatever is said where they cannot read", async () => {
  const own = openRoutes(null).paths.filter((path) => !FOR_OPERATOR.test(path) && path !== "/console/session/open");
  expect(Object.keys(ASKED).sort()).toEqual(own.sort());
  const worlds: Record<string, string[]>[] = [];
  for (const said of [
    Array.from({ length: 30 }, (_, index) => `the ${SECRET} is tern ${index}`),
    ["nothing of note"],
  ]) {
    const world = await openWorld(said);
    const answers: Record<string, string[]> = {};
    for (const [path, toBodies] of Object.entries(ASKED))
      for (const body of toBodies(world)) {
        const response = await world.ask(path, body);
        const text = path === STREAM ? await readStream(world, response, said) : await response.text();
        answers[path] = [...(answers[path] ?? []), withoutIds(`${response.status} ${text}`)];
      }
    worlds.push(answers);
  }
  const [busy = {}, calm] = worlds;
  expect(busy).toEqual(calm);
  expect(Object.entries(busy).filter(([, answers]) => !answers[0]?.startsWith("200 "))).toEqual([]);
  expect(JSON.stringify(busy["/console/me/search"])).toContain("petrel repairs");
  expect(JSON.stringify(busy)).not.toContain("tern");
});
