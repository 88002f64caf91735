import type { Source, SourceKinds } from "../../domain/source.ts";
import { searched, told } from "./channel.ts";
import { fact, facts } from "./fact.ts";
import type { Kind } from "./kind.ts";
import { message } from "./message.ts";
import { passage } from "./passage.ts";
import { profile } from "./profile.ts";
import { server } from "./server.ts";

const KINDS: Readonly<Record<keyof SourceKinds, Kind>> = {
  ...{ told, searched, server, message, fact, facts, passage, profile },
};

export const KIND_NAMES = Object.keys(KINDS) as readonly (keyof SourceKinds)[];

export function kindOf({ kind }: Pick<Source, "kind">): Kind {
  return KINDS[kind];
}

/** Restores a source from its reference in the audit; null if it is not a source. */
export function restoreSource(type: string, ref: string): Source | null {
  return (
    Object.values(KINDS)
      .find(({ auditTypes }) => auditTypes?.includes(type))
      ?.restore?.(ref) ?? null
  );
}
