import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openEmbedder } from "../../src/app/open-models.ts";
import { type ConfigInput, toConfig } from "../../src/config/config.ts";

/** A server for vectors that notes who shows which key. */
async function openServer() {
  const keys: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    keys.push(incoming.headers.authorization);
    outgoing.end(JSON.stringify({ data: [{ embedding: [1, 2] }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const open = (input: ConfigInput) => openEmbedder(toConfig(input));

it("there is no embedder unless one is configured", async () => {
  expect(await open({ embedder: { baseUrl: "https://vectors.example/v1" } })).toBeNull();
});

it("the embedder's API key is sent only to the embedder's server", async () => {
  const [models, other] = [await openServer(), await openServer()];
  const model = { baseUrl: models.url, apiKey: "of the model" };
  for (const embedder of [
    { name: "tiny" },
    { name: "tiny", baseUrl: models.url },
    { name: "tiny", apiKey: "its own" },
    { name: "tiny", baseUrl: other.url },
    { name: "tiny", baseUrl: other.url, apiKey: "its own" },
  ])
    await (await open({ model, embedder }))?.embed(["x"]);
  expect(models.keys).toEqual(["Bearer of the model", "Bearer of the model", "Bearer its own"]);
  expect(other.keys).toEqual([undefined, "Bearer its own"]);
});
