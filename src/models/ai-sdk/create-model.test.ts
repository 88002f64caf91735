import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openScriptedModel } from "../../../test/support/scripted-model.ts";
import { type Behaviour, describeModel, type ModelFixture } from "../contract.suite.ts";
import { createAiSdkModel } from "./create-model.ts";

interface ChatRequest {
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** An OpenAI-compatible server that behaves as it is told, well or badly. */
async function openServer(behaviour: Behaviour): Promise<Omit<ModelFixture, "model"> & { url: string }> {
  const asked: ModelFixture["asked"][number][] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { messages, max_tokens } = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
    const said = (role: string) => messages.find((message) => message.role === role)?.content ?? "";
    asked.push({ system: said("system"), prompt: said("user"), maxOutputTokens: max_tokens });
    server.emit("question");
    if (incoming.url === "/v1/chat/completions") behave(behaviour, outgoing);
    else behave({ kind: "answer", text: "from elsewhere" }, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, asked, stop, nextQuestion: async () => void (await once(server, "question")) };
}

function behave(behaviour: Behaviour, outgoing: ServerResponse): void {
  switch (behaviour.kind) {
    case "answer": {
      const { text, usage } = behaviour;
      const counted = usage && { usage: { prompt_tokens: usage.input, completion_tokens: usage.output } };
      const message = { role: "assistant", content: text };
      outgoing.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], ...counted }));
      return;
    }
    case "refuse": {
      const { status, retryAfter } = behaviour;
      outgoing.writeHead(status, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
      outgoing.end(JSON.stringify({ error: { message: "No: A private question." } }));
      return;
    }
    case "babble":
      outgoing.end(behaviour.text);
      return;
    case "hang up":
      outgoing.destroy();
      return;
    case "redirect":
      outgoing.writeHead(307, { location: "/elsewhere" }).end();
      return;
    case "keep silent":
  }
}

describeModel("the AI SDK", async (behaviour, { timeoutMs, apiKey }) => {
  const { url, ...server } = await openServer(behaviour);
  return { ...server, model: createAiSdkModel({ baseUrl: url, apiKey, name: "small", timeoutMs }) };
});

it("the AI SDK model sends its key when it has one", async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    keys.push(incoming.headers.authorization);
    behave({ kind: "answer", text: "Yes." }, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const options = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, name: "small" };
  for (const model of [createAiSdkModel({ ...options, apiKey: "abc" }), createAiSdkModel(options)])
    await model.generate({ system: "s", prompt: "p", maxOutputTokens: 5 });
  expect(keys).toEqual(["Bearer abc", undefined]);
});

it("the AI SDK model sends the configured model name, and works without a key", async () => {
  const { url, requests } = await openScriptedModel([() => "Yes."]);
  const model = createAiSdkModel({ baseUrl: url, name: "llama3.2" });
  expect((await model.generate({ system: "s", prompt: "p", maxOutputTokens: 5 })).text).toBe("Yes.");
  expect(requests[0]).toMatchObject({ model: "llama3.2" });
});
