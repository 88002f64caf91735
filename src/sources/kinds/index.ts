import type { Source, SourceKinds } from "../../domain/source.ts";
import { searched, told } from "./channel.ts";
import { fact, facts } from "./fact.ts";
import type { Kind } from "./kind.ts";
import { message } from "./message.ts";
import { record } from "./record.ts";
import { server } from "./server.ts";

const KINDS: Readonly<Record<keyof SourceKinds, Kind>> = { told, searched, server, message, fact, facts, record };

export const KIND_NAMES = Object.keys(KINDS) as readonly (keyof SourceKinds)[];

export function kindOf({ kind }: Pick<Source, "kind">): Kind {
  return KINDS[kind];
}
