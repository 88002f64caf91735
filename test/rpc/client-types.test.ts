import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { connectEarshot, type EarshotClient, type Message } from "../../src/client/index.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** Compiled and never run: each line that is expected to fail would be an error if it compiled. */
async function misuse(client: EarshotClient): Promise<void> {
  // @ts-expect-error: there is no such method.
  await client.call("search_mesages", { query: "turtle" });
  // @ts-expect-error: the name of an argument is misspelt.
  await client.call("search_messages", { querry: "turtle" });
  // @ts-expect-error: an argument is missing.
  await client.call("discord.send", { channel: "general" });
  // @ts-expect-error: an argument is of another kind.
  await client.call("discord.channel.messages", { channel: "general", limit: "five" });
  // @ts-expect-error: there is no such choice.
  await client.call("discord.search.window", { query: "turtle", scope: "server" });
  // @ts-expect-error: the arguments are missing.
  await client.call("search_messages");
  // @ts-expect-error: the answer has no such field.
  (await client.call("search_messages", { query: "turtle" })).messages;
  // @ts-expect-error: there is no such method, with text neither.
  await client.ask("memory.lists", {});
  // @ts-expect-error: an argument of a method of the protocol is missing.
  await client.call("operation.open", { private: true });
}

describe("the client", () => {
  it("is typed so that a wrong method, argument or misspelling does not compile", () => {
    // The compiler has checked the lines above: `npm run check` fails if one of them has no error.
    expect(misuse).toBeTypeOf("function");
  });

  it("knows what each method takes and answers", () => {
    type Search = Awaited<ReturnType<typeof searched>>;
    const searched = (client: EarshotClient) => client.call("search_messages", { query: "turtle", channel: null });
    expectTypeOf<Search["hits"][number]["message"]>().toEqualTypeOf<Message>();
    expectTypeOf<Search["cursor"]>().toEqualTypeOf<string | null>();
  });

  it("gets what its types say, from the real server", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    sandbox.as("mark").say("general", "the crane is blue");
    const rpc = await openFullRpc(sandbox);
    const client = await connectEarshot({ url: rpc.url, token: rpc.token() });
    onTestFinished(() => client.close());
    const actor = sandbox.as("sarah").id;
    const { operation_id: operationId } = await client.call("operation.open", { actor, private: true });
    const read = await client.call("discord.channel.messages", { channel: "general", cursor: null }, { operationId });
    expect(read.messages.map(({ content }) => content)).toEqual(["the crane is blue"]);
    const asked = await client.ask("search_messages", { query: "crane" }, { operationId });
    expect(asked.value.hits.map(({ message }) => message.author.name)).toEqual(["mark"]);
    expect(asked.text).toContain("mark: the crane is blue");
    const chosen = await client.request("discord/guild.channels", {}, { operationId });
    expect(JSON.stringify(chosen.value)).toContain("general");
  });
});
