import type { Source, SourceKind } from "../../domain/source.ts";
import { searched, told } from "./channel.ts";
import { fact, facts } from "./fact.ts";
import type { Kind } from "./kind.ts";
import { message } from "./message.ts";
import { record } from "./record.ts";
import { server } from "./server.ts";

const KINDS: Readonly<Record<SourceKind, Kind>> = { told, searched, server, message, fact, facts, record };

export function kindOf({ kind }: Pick<Source, "kind">): Kind {
  return KINDS[kind];
}
