import { EarshotError } from "../domain/errors.ts";
import { type Command, textOption } from "./command.ts";
import { sandboxUrl } from "./running-sandbox.ts";

export const say: Command = {
  name: "say",
  usage: '--as <person> --in <channel> "text"',
  takesMore: true,
  options: { as: { type: "string" }, in: { type: "string" }, "reply-to": { type: "string" } },
  details: [
    "--as        username, or the key of a sample person such as sarah",
    "--in        name or id of a channel or thread",
    "--reply-to  id of the message to reply to",
  ],
  async run(args, { config, print, self }) {
    const text = args.positionals.join(" ");
    const [as, place, replyTo] = [textOption(args, "as"), textOption(args, "in"), textOption(args, "reply-to")];
    if (!as || !place || !text)
      throw new EarshotError(
        "invalid",
        `Name the person, the channel and the text: ${self} say --as sarah --in general "hello"`,
      );
    let response: Response;
    try {
      response = await fetch(`${sandboxUrl(config)}/sandbox/say`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ as, in: place, text, ...(replyTo ? { reply_to: replyTo } : {}) }),
        signal: AbortSignal.timeout(10_000),
      });
    } catch (cause) {
      throw new EarshotError(
        "unavailable",
        `No sandbox answers at ${sandboxUrl(config)}. Start one with "${self} start".`,
        { cause },
      );
    }
    const answer = (await response.json()) as { message_id?: string; message?: string };
    if (!response.ok)
      throw new EarshotError("invalid", `The sandbox says: ${answer.message ?? `status ${response.status}`}`);
    print(`said, as message ${answer.message_id}`);
    return 0;
  },
};
