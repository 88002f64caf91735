import type { Model } from "../../ports/model.ts";
import { createChatModel } from "./create-chat-model.ts";
import type { ServerOptions } from "./server.ts";

/** A model that is asked once, without tools. */
export function createModel({ contextTokens, ...options }: ServerOptions & Pick<Model, "contextTokens">): Model {
  const chat = createChatModel(options);
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    async generate({ system, prompt, maxOutputTokens, signal }) {
      const turns = [{ role: "user", text: prompt }] as const;
      const asked = {
        system,
        turns,
        tools: [],
        toolChoice: "none",
        maxOutputTokens,
        ...(signal && { signal }),
      } as const;
      const { text, usage } = await chat.step(asked);
      return { text, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
    },
  };
}
