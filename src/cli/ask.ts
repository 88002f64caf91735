import { EarshotError } from "../domain/errors.ts";
import type { Command } from "./command.ts";
import { openOperation } from "./open-operation.ts";
import { connectToProgram } from "./running-program.ts";

export const ask: Command = {
  name: "ask",
  usage: '--as <person> --in <channel> "<question>" [--private] [--json]',
  takesMore: true,
  options: {
    as: { type: "string" },
    in: { type: "string" },
    private: { type: "boolean" },
    json: { type: "boolean" },
  },
  details: [
    "--as       the person who asks: an id or a name",
    "--in       the channel where the answer would be read: an id or a name",
    "--private  only that person would read the answer",
    "--json     print JSON, as programs get it",
    "The answer is printed and posted nowhere. Nobody is asked on Discord to confirm something; /agent there shows what waits.",
  ],
  async run(args, { config, signal, print, self }) {
    const question = args.positionals.join(" ").trim();
    if (question === "") throw new EarshotError("invalid", 'Give a question: earshot ask --as sarah --in general "…"');
    const client = await connectToProgram(config, self);
    try {
      const { operationId } = await openOperation(args, config, client, { isSilent: true });
      const answer = await client.call("agent.ask", { question }, { operationId, signal });
      if (args.values["json"]) print(JSON.stringify(answer, null, 2));
      else {
        // Discord's mark for small print.
        print(answer.text.replaceAll(/^-# /gm, ""));
        for (const [index, { link }] of answer.sources.entries()) print(`[${index + 1}] ${link}`);
      }
      return 0;
    } finally {
      await client.close();
    }
  },
};
