import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content:
      | string
      | readonly { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }[];
  }[];
  readonly tools: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly parameters: object };
  }[];
}

type Turn = string | { readonly tool: string; readonly args: object | string };

export interface ScriptedModel {
  readonly url: string;
  /** What it was asked so far. */
  readonly requests: readonly ChatRequest[];
}

/** An OpenAI-compatible server that says what the script says: a text, or a tool to call. After the script it falls silent. */
export async function openScriptedModel(script: readonly ((request: ChatRequest) => Turn)[]): Promise<ScriptedModel> {
  const requests: ChatRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
    requests.push(request);
    const turn = script[requests.length - 1]?.(request) ?? "";
    outgoing.writeHead(incoming.url === "/v1/chat/completions" ? 200 : 404, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ choices: [{ message: toMessage(turn, requests.length) }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

function toMessage(turn: Turn, count: number): object {
  if (typeof turn === "string") return { role: "assistant", content: turn };
  const text = typeof turn.args === "string" ? turn.args : JSON.stringify(turn.args);
  const call = { id: `call-${count}`, type: "function", function: { name: turn.tool, arguments: text } };
  return { role: "assistant", content: null, tool_calls: [call] };
}
