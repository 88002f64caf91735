import type { Message } from "../message.ts";
import { toSkeleton } from "./skeleton.ts";

type Author = Pick<Message["author"], "id" | "name">;

/** How people are written, so that nobody is taken for somebody else. */
export interface DisplayNames {
  /** Escaped. The same person by the same name is always written alike; whose name looks like another's gets a number. */
  of(author: Author): string;
}

export interface DisplayNamesRequest {
  /** Goes by its own name, whatever it calls itself in a message; null where it is not known. */
  readonly agent: Author | null;
  escape(name: string): string;
}

/** What we call the person who asks. Nobody else goes by it. */
export const YOU = "you";

export function createDisplayNames({ agent, escape: toEscaped }: DisplayNamesRequest): DisplayNames {
  const shown = new Map<string, string>();
  /** Who goes by a name, by how it looks. */
  const holders = new Map<string, string>([[toSkeleton(YOU), YOU]]);
  const show = ({ id, name }: Author) => {
    // Between names stand commas.
    const own = toEscaped(name).replaceAll(/[,\u060c\u3001\uff0c]/gu, ";");
    let unique = own;
    for (let number = 2; (holders.get(toSkeleton(unique)) ?? id) !== id; number += 1) unique = `${own} ${number}`;
    holders.set(toSkeleton(unique), id);
    return unique;
  };
  const agentName = agent && show(agent);
  return {
    of({ id, name }) {
      if (agent?.id === id && agentName !== null) return agentName;
      // A webhook speaks under many names.
      const key = `${id} ${name}`;
      const known = shown.get(key);
      if (known !== undefined) return known;
      const unique = show({ id, name });
      shown.set(key, unique);
      return unique;
    },
  };
}
