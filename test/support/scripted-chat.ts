import type { ChatModel, Step, StepRequest } from "../../src/ports/chat-model.ts";

/** A text, or calls of tools by the names that the model is offered. */
type ScriptedStep = string | { readonly text?: string; readonly calls: readonly [tool: string, args: unknown][] };

type Script = (request: StepRequest, count: number) => ScriptedStep | Promise<ScriptedStep>;

/** A model that says what the script says, and remembers what it was asked. `count` is 1 for the first step. */
export function scriptChat(script: Script): ChatModel & { readonly requests: StepRequest[] } {
  const requests: StepRequest[] = [];
  return {
    requests,
    async step(request): Promise<Step> {
      requests.push(request);
      const count = requests.length;
      const said = await script(request, count);
      const { text = "", calls = [] } = typeof said === "string" ? { text: said } : said;
      if (text !== "") request.onText?.(text);
      return {
        text,
        calls: calls.map(([tool, args], index) => ({ id: `${count}.${index}`, tool, args })),
        isCut: false,
        usage: { inputTokens: 100, outputTokens: 10, isEstimated: true },
      };
    },
  };
}

/** All that a model is told in a step. */
export function toldIn({ system, turns }: StepRequest): string {
  return [system, ...turns.map(({ text }) => text)].join("\n");
}
