import type { EarshotClient } from "../client/index.ts";
import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import { type Arguments, textOption } from "./command.ts";
import { resolveName } from "./running-program.ts";

/** Begins an operation for whom `--as` and where `--in` say; `--private` makes it that person's alone, `--message` names the message that asked. In a silent one nothing is posted. */
export async function openOperation(
  args: Arguments,
  config: Config,
  client: EarshotClient,
  { isSilent = false }: { readonly isSilent?: boolean } = {},
): Promise<{ operationId: string; channelId: string }> {
  const [as, place, message] = [textOption(args, "as"), textOption(args, "in"), textOption(args, "message")];
  if (!as || !place)
    throw new EarshotError("invalid", "Name the person to act for and the channel: --as <person> --in <channel>");
  const actor = await resolveName("people", as, config);
  const channelId = await resolveName("channels", place, config);
  const opened = await client.call("operation.open", {
    actor,
    channel_id: channelId,
    private: args.values["private"] === true,
    silent: isSilent,
    ...(message && { message_id: message }),
  });
  return { operationId: opened.operation_id, channelId };
}
