import type { ChannelId } from "../../domain/ids.ts";
import type { Audit } from "../../policy/audit.ts";
import type { CallRecord } from "../call/call-record.ts";
import type { Finder } from "./finder.ts";

interface RepeatParts {
  readonly record: CallRecord;
  finder(): Finder;
}

/** The channel in which the results will be repeated, searched among the channels that the actor may read. An error about it counts as
 * read. */
export async function findRepeatChannel(
  name: string,
  { finder, record }: RepeatParts,
  { audit }: { readonly audit: Pick<Audit, "settled"> },
): Promise<ChannelId> {
  try {
    const id = await finder().names.channel(name);
    record.enter(id);
    record.event("read_for", { channel_id: id });
    return id;
  } finally {
    record.commit();
    if (record.hasRead) await audit.settled();
  }
}
