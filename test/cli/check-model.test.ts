import { describe, expect, it } from "vitest";
import { checkModel } from "../../src/cli/check-model.ts";
import { toConfig } from "../../src/config/config.ts";
import { createChatModel } from "../../src/models/openai/create-chat-model.ts";
import { type ModelReply, type ModelRequest, openModelServer } from "../support/model-server.ts";
import { runCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

interface Abilities {
  /** Longer prompts lose their front. */
  readonly contextTokens?: number;
  readonly reportsUsage?: boolean;
  readonly callsTools?: boolean;
  readonly pictures?: "seen" | "ignored" | "refused";
}

/** A model as it may run behind Ollama: it counts a token for each word. */
function createModel(abilities: Abilities = {}): (request: ModelRequest) => ModelReply {
  const { contextTokens = 100_000, reportsUsage = true, callsTools = true, pictures = "seen" } = abilities;
  return ({ messages, tools }) => {
    const content = messages.at(-1)?.content ?? "";
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const hasPicture = parts.some(({ type }) => type === "image_url");
    if (hasPicture && pictures === "refused") return { status: 400 };
    const all =
      parts
        .map(({ text = "" }) => text)
        .join("")
        .match(/\w+|[^\w\s]/g) ?? [];
    const read = all.slice(-contextTokens);
    const usage = reportsUsage ? { input: read.length, output: 1 } : null;
    if (tools && callsTools) return { calls: [{ tool: "note_number", args: { number: 7 } }], usage };
    if (hasPicture) return { text: pictures === "seen" ? "Red." : "I see nothing.", usage };
    const codeWord = /^The code word is (\w+) /.exec(read.join(" "))?.[1];
    return { text: codeWord ?? "ready", usage };
  };
}

async function check(script: (request: ModelRequest) => ModelReply, contextTokens = 4_096) {
  const { url, requests, stop } = await openModelServer(script);
  const lines: string[] = [];
  const context = {
    config: toConfig({ model: { baseUrl: url, name: "llama3.2", contextTokens } }),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
    self: "earshot",
    origin: { file: null, folder: "", variables: [] },
    readConfig: async () => toConfig({}),
    onReload() {},
    elapsedMs: () => 0,
    isTerminal: false,
    print: (line: string) => void lines.push(line),
    note() {},
    ask: async () => null,
  };
  const model = createChatModel({ baseUrl: url, name: "llama3.2" });
  const run = async () => ({ isSound: await checkModel(model, context), lines, output: lines.join("\n"), requests });
  return { run, stop };
}

describe("the doctor's check of a model", () => {
  it("the doctor says that a good model answers, holds its context, calls tools and sees pictures", async () => {
    for (const contextTokens of [2_048, 4_096, 40_000]) {
      const { run } = await check(createModel({ contextTokens }), contextTokens);
      const { isSound, lines, requests } = await run();
      expect(isSound).toBe(true);
      expect(lines.map((line) => line.slice(0, 11))).toEqual([
        "✓ model lla",
        "✓ context: ",
        "✓ tools: th",
        "✓ pictures:",
      ]);
      const prompt = String(requests[1]?.messages[0]?.content);
      const words = prompt.match(/\w+|[^\w\s]/g)?.length ?? 0;
      expect(words).toBeGreaterThan(contextTokens - 700);
      expect(words).toBeLessThan(contextTokens - 500);
    }
  });

  it("the doctor notices a server that cuts the front of prompts, and says what to set", async () => {
    const { run } = await check(createModel({ contextTokens: 4_096 }), 16_384);
    const { isSound, output } = await run();
    expect(isSound).toBe(false);
    expect(output).toContain("✗ context: the server cuts the front");
    expect(output).toContain("the server read 4096");
    expect(output).toContain("OLLAMA_CONTEXT_LENGTH=16384");
    expect(output).toContain("PARAMETER num_ctx 16384");
    expect(output).toContain("EARSHOT_MODEL_CONTEXT_TOKENS");
  });

  it("the doctor notices a cut prompt by the code word where the server reports no counts, and by the counts where it is guessed", async () => {
    const silent = await (await check(createModel({ contextTokens: 3_000, reportsUsage: false }))).run();
    expect(silent.output).toContain("✗ context: the server cuts the front");
    expect(silent.output).toContain("lacks the code word");
    const guessed = await (await check(() => ({ text: "Marmalade", usage: { input: 2_048, output: 1 } }))).run();
    expect(guessed.output).toContain("✗ context: the server cuts the front");
    const fine = await (await check(createModel({ reportsUsage: false }))).run();
    expect(fine.output).toContain("✓ context");
    expect([silent.isSound, guessed.isSound, fine.isSound]).toEqual([false, false, true]);
  });

  it("the doctor does not take a weak model for a server that cuts prompts", async () => {
    for (const reportsUsage of [true, false]) {
      const able = createModel({ reportsUsage });
      const weak = await check((request) => {
        const reply = able(request);
        const isAsked = JSON.stringify(request.messages).includes("Which code word");
        return isAsked && typeof reply === "object" ? { ...reply, text: "It is sunny." } : reply;
      });
      const { isSound, output } = await weak.run();
      expect(isSound).toBe(true);
      expect(output).toMatch(/! context: a prompt of \d+ tokens is taken, and the model did not find the code word/);
      expect(output).not.toContain("cuts the front");
    }
  });

  it("the doctor says when a server refuses a long prompt", async () => {
    const good = createModel();
    const { run } = await check((request) =>
      JSON.stringify(request).length > 5_000 ? { status: 400 } : good(request),
    );
    const { isSound, output } = await run();
    expect(isSound).toBe(false);
    expect(output).toMatch(/✗ context: a prompt of \d+ tokens fails.*\n.*Lower EARSHOT_MODEL_CONTEXT_TOKENS/);
    expect(output).toContain("✓ tools");
  });

  it("the doctor names what a model cannot do, without calling it broken", async () => {
    const refusing = await (await check(createModel({ callsTools: false, pictures: "refused" }))).run();
    expect(refusing.isSound).toBe(true);
    expect(refusing.output).toContain("! tools: the model did not call one");
    expect(refusing.output).toContain("! pictures: the model's server does not accept them");
    const blind = await (await check(createModel({ pictures: "ignored" }))).run();
    expect(blind.output).toContain("! pictures: accepted, but");
  });

  it("the doctor asks nothing more of a model that does not answer", async () => {
    const refused = await (await check(() => ({ status: 404 }))).run();
    expect([refused.isSound, refused.requests.length]).toEqual([false, 1]);
    expect(refused.output).toMatch(/✗ model llama3\.2 at http.*status 404.*\n.*EARSHOT_MODEL_URL/);
    const mute = await (await check(() => ({ reasoning: "Hm.", finish: "length" }))).run();
    expect([mute.isSound, mute.requests.length]).toEqual([false, 1]);
    const gone = await check(() => "ready");
    await gone.stop();
    const { isSound, output } = await gone.run();
    expect(isSound).toBe(false);
    expect(output).toContain("could not be reached");
  });

  it("earshot doctor checks the configured model, and exits with 1 when its context is too small", async () => {
    const sandbox = await openTestSandbox();
    const { url } = await openModelServer(createModel({ contextTokens: 4_096 }));
    const program = await runCommand(["doctor"], {
      EARSHOT_DISCORD_TOKEN: sandbox.token,
      EARSHOT_DISCORD_API: sandbox.api,
      EARSHOT_MODEL: "llama3.2",
      EARSHOT_MODEL_URL: url,
      EARSHOT_MODEL_CONTEXT_TOKENS: "8192",
    });
    expect(program.code).toBe(1);
    expect(program.out).toContain("✓ model llama3.2");
    expect(program.out).toContain("✗ context");
    expect(program.out).toContain("✓ token: accepted");
  });
});
