import { afterEach, beforeEach, expect, it } from "vitest";
import { openRestServer, type RestServer } from "../../test/support/rest-server.ts";
import { createMessage } from "../actions/messages.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

function send(body: string, path = `/channels/${server.channels.general.id}/messages`) {
  return server.fetch(path, { method: "POST", body, headers: { "content-type": "application/json" } });
}

it("the sandbox loses no digit of ids that a client sends as JSON numbers", async () => {
  const { sam, rita } = server.people;
  const draft = { content: "Who has the keys?" };
  const original = createMessage(server.world, sam.id, { channelId: server.channels.general.id, draft });
  expect(Number.isSafeInteger(Number(original.id))).toBe(false);
  const reply = await send(
    `{"content":"<@${sam.id}> <@${rita.id}>","allowed_mentions":{"parse":[],"users":[${rita.id}]},` +
      `"message_reference":{"message_id":${original.id},"channel_id":${original.channelId},"guild_id":${server.guild.id}},` +
      '"nonce":1234567890123456789}',
  );
  expect(await reply.json()).toMatchObject({
    referenced_message: { id: original.id },
    mentions: [{ id: rita.id }],
    nonce: "1234567890123456789",
  });
});

it("the sandbox accepts ids as numbers in payload_json and for a DM", async () => {
  const form = new FormData();
  form.append("payload_json", `{"content":"chart","allowed_mentions":{"users":[${server.people.sam.id}]}}`);
  form.append("files[0]", new Blob(["1"]), "chart.txt");
  const sent = await server.fetch(`/channels/${server.channels.general.id}/messages`, { method: "POST", body: form });
  expect(sent.status).toBe(200);
  const dm = await send(`{"recipient_id":${server.people.sam.id}}`, "/users/@me/channels");
  expect(await dm.json()).toMatchObject({ recipients: [{ id: server.people.sam.id }] });
});

it.each(["-5", "1.5", "1e400", "-9007199254740993", "9".repeat(50_000), "18446744073709551616", "true", "{}"])(
  "the sandbox rejects %.30s as an id, with 50035 at its field",
  async (number) => {
    const response = await send(`{"content":"hi","message_reference":{"message_id":${number}}}`);
    const answer = await response.text();
    expect(response.status).toBe(400);
    expect(JSON.parse(answer)).toMatchObject({
      code: 50035,
      errors: { message_reference: { message_id: { _errors: [{ code: "NUMBER_TYPE_COERCE" }] } } },
    });
    expect(answer.length).toBeLessThan(1_000);
  },
);

it("the sandbox says which id is missing, and rejects a body that is nested too deeply", async () => {
  const missing = await send('{"content":"hi","message_reference":{}}');
  expect(await missing.json()).toMatchObject({
    errors: { message_reference: { message_id: { _errors: [{ code: "BASE_TYPE_REQUIRED" }] } } },
  });
  const deep = await send("[".repeat(200_000) + "]".repeat(200_000));
  expect(await deep.json()).toMatchObject({ code: 50109 });
});
