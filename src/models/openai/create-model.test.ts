import { expect, it } from "vitest";
import { type ModelReply, openModelServer } from "../../../test/support/model-server.ts";
import { type Behaviour, describeModel } from "../contract.suite.ts";
import { createModel } from "./create-model.ts";

function toReply(behaviour: Behaviour): ModelReply {
  switch (behaviour.kind) {
    case "answer":
      return { text: behaviour.text, usage: behaviour.usage ?? null };
    case "refuse": {
      const { status, retryAfter } = behaviour;
      const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return { status, headers, body: JSON.stringify({ error: { message: "No: A private question." } }) };
    }
    case "babble":
      return { status: 200, body: behaviour.text };
    case "hang up":
      return { instead: "hang up" };
    case "redirect":
      return { status: 307, headers: { location: "/elsewhere" } };
    case "keep silent":
      return { instead: "silence" };
  }
}

describeModel("a server that speaks OpenAI's protocol", async (behaviour, { timeoutMs, apiKey }) => {
  const { url, requests, nextRequest, stop } = await openModelServer(() => toReply(behaviour));
  return {
    model: createModel({ baseUrl: url, apiKey, name: "small", timeoutMs }),
    nextQuestion: nextRequest,
    stop,
    asked: () =>
      requests.map(({ messages, max_tokens = 0 }) => {
        const said = (wanted: string) => String(messages.find(({ role }) => role === wanted)?.content ?? "");
        return { system: said("system"), prompt: said("user"), maxOutputTokens: max_tokens };
      }),
  };
});

it("the model sends its key when it has one", async () => {
  const { url, keys } = await openModelServer([]);
  const options = { baseUrl: url, name: "small" };
  for (const model of [createModel({ ...options, apiKey: "abc" }), createModel(options)])
    await model.generate({ system: "s", prompt: "p", maxOutputTokens: 5 });
  expect(keys).toEqual(["Bearer abc", undefined]);
});

it("the model sends the configured model name, and works without a key", async () => {
  const { url, requests } = await openModelServer([() => "Yes."]);
  const model = createModel({ baseUrl: url, name: "llama3.2" });
  expect((await model.generate({ system: "s", prompt: "p", maxOutputTokens: 5 })).text).toBe("Yes.");
  expect(requests[0]).toMatchObject({ model: "llama3.2" });
});
