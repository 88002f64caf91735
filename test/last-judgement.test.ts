import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";

/** Where something leaves: the function, what is asked last in it (or its beginning), and what lets the bytes out. */
const HAND_OUTS = [
  ["gate/create-gate.ts", "attempt", "stillStands", "return answer"],
  ["discord/resilient-rest.ts", "#leave", "recheck", "#send"],
  ["discord/resilient-rest.ts", "#send", null, "makeRequest"],
  ["gate/effects/effect-run.ts", "recheck", "recheck", "leave"],
  ["gate/effects/answers.ts", "showTyping", "recheck", "showTyping"],
  ["transports/discord/agent-command.ts", "deliverTo", "recheck", "whisper"],
  ["transports/rpc/event-feed.ts", "#tell", "toClientEvent", "send"],
  ["transports/rpc/event-feed.ts", "#tell", "#standing", "send"],
  ["transports/rpc/event-feed.ts", "#standing", "mayStillPush", "return event"],
] as const;

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Found {
  readonly functions: Map<string, Span>;
  readonly calls: (Span & { readonly name: string })[];
  readonly pauses: Span[];
  /** Functions named so may throw only at once: nobody waits for them. */
  readonly asyncRechecks: Span[];
}

function find(path: string, text: string): Found {
  const found: Found = { functions: new Map(), calls: [], pauses: [], asyncRechecks: [] };
  const span = ({ start, end }: Span) => ({ start, end });
  const nameOf = (node: { type: string; name?: unknown }): string => {
    const prefix = node.type === "PrivateIdentifier" ? "#" : "";
    return typeof node.name === "string" ? `${prefix}${node.name}` : "";
  };
  const noteFunction = (key: Parameters<typeof nameOf>[0], node: Span & { async?: boolean }) => {
    const name = nameOf(key);
    found.functions.set(name, span(node));
    if (name === "recheck" && node.async) found.asyncRechecks.push(span(node));
  };
  new Visitor({
    FunctionDeclaration: (node) => node.id && noteFunction(node.id, node),
    MethodDefinition: (node) => noteFunction(node.key, node.value),
    Property: (node) => node.value.type.includes("Function") && noteFunction(node.key, node.value),
    VariableDeclarator: (node) => node.init?.type.includes("Function") && noteFunction(node.id, node.init),
    CallExpression({ callee, ...node }) {
      const name = nameOf(callee.type === "MemberExpression" ? callee.property : callee);
      found.calls.push({ name, ...span(node) });
    },
    ReturnStatement(node) {
      const text = node.argument?.type === "ConditionalExpression" ? "event" : node.argument && nameOf(node.argument);
      found.calls.push({ name: `return ${text}`, ...span(node) });
    },
    AwaitExpression: (node) => void found.pauses.push(span(node)),
    YieldExpression: (node) => void found.pauses.push(span(node)),
    ForOfStatement: (node) => void (node.await && found.pauses.push(span(node))),
  }).visit(parseSync(path, text).program);
  return found;
}

/** What is waited for between the last question and the leaving. Null where the function, the question or the leaving is not found. */
function listPauses({ functions, calls, pauses }: Found, [name, asks, leaves]: readonly (string | null)[]) {
  const within = functions.get(name ?? "");
  const inside = calls.filter(({ start, end }) => within && start >= within.start && end <= within.end);
  const left = inside.findLast((call) => call.name === leaves);
  const asked = asks === null ? within : inside.findLast((call) => call.name === asks && call.start !== left?.start);
  if (!left || !asked) return null;
  const from = asks === null ? asked.start : asked.end;
  return pauses.filter(({ start, end }) => start >= from && end <= left.start);
}

const SRC = join(import.meta.dirname, "../src");
const read = (path: string) => readFileSync(join(SRC, path), "utf8");

describe("between the last judgement and the leaving", () => {
  it.each(HAND_OUTS)("nothing is waited for in %s, %s", (path, ...place) => {
    expect(listPauses(find(path, read(path)), place)).toEqual([]);
  });

  it("what is asked last answers at once", () => {
    const effects = readdirSync(join(SRC, "gate/effects")).map((name) => `gate/effects/${name}`);
    for (const path of [...effects, ...HAND_OUTS.map(([file]) => file)])
      expect(find(path, read(path)).asyncRechecks, path).toEqual([]);
    expect(read("sources/judge.ts")).not.toMatch(/\basync\b|\bawait\b|Promise/);
  });

  it("a pause is found where there is one", () => {
    const text = (pause: string) =>
      `async function hand() { await before(); judge(); ${pause} return await leave(); } const recheck = async () => {};`;
    expect(listPauses(find("x.ts", text("")), ["hand", "judge", "leave"])).toEqual([]);
    expect(listPauses(find("x.ts", text("await x;")), ["hand", "judge", "leave"])).toHaveLength(1);
    expect(listPauses(find("x.ts", text("for await (const each of all) {}")), ["hand", "judge", "leave"])).toHaveLength(
      1,
    );
    expect(listPauses(find("x.ts", text("")), ["hand", "ask", "leave"])).toBeNull();
    expect(find("x.ts", text("")).asyncRechecks).toHaveLength(1);
  });
});
