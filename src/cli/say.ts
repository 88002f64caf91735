import { EarshotError } from "../domain/errors.ts";
import { type Command, textOption } from "./command.ts";
import { postToSandbox } from "./running-sandbox.ts";

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
    const answer = await postToSandbox(
      config,
      { action: "say", self },
      { as, in: place, text, ...(replyTo ? { reply_to: replyTo } : {}) },
    );
    print(`said, as message ${answer["message_id"]}`);
    return 0;
  },
};
