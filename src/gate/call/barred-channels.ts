import { type Audience, asLive, flows } from "../../domain/audience.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Label } from "../../sources/label.ts";

interface BarredChannel {
  readonly channelId: ChannelId;
  readonly source: Audience;
}

/** The channels of a label that not everybody of a target may know of as far as they were read. */
export function* listBarredChannels(
  label: Label,
  target: Audience,
  { operation, directory }: { readonly operation: Operation; readonly directory: Directory },
): Generator<BarredChannel> {
  const readBack = label.readBack(operation);
  for (const channelId of label.channels) {
    const audience = directory.audience(channelId);
    const source = readBack.has(channelId) ? audience : asLive(audience);
    if (!flows(source, target)) yield { channelId, source };
  }
}
