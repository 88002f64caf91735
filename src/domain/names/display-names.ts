import type { Message } from "../message.ts";
import { toSkeleton } from "./name-forms.ts";

type Author = Pick<Message["author"], "id" | "name">;

/** Unique names, so that nobody can be mistaken for somebody else. */
export interface DisplayNames {
  /** Escaped. Always the same for the same person and name; a name that looks like another's gets a number. */
  of(author: Author): string;
}

export interface DisplayNamesRequest {
  /** Keeps its configured name, whatever name its messages have; null when unknown. */
  readonly agent: Author | null;
  escape(name: string): string;
}

/** The name of the actor. Nobody else can get it. */
export const YOU = "you";
const YOU_SKELETON = toSkeleton(YOU);

export function createDisplayNames({ agent, escape: toEscaped }: DisplayNamesRequest): DisplayNames {
  const namesByAuthor = new Map<string, string>();
  /** Who has a name, by its skeleton. */
  const holders = new Map<string, string>([[YOU_SKELETON, YOU]]);
  const show = ({ id, name }: Author) => {
    // Commas separate names.
    const own = toEscaped(name).replaceAll(/[,\u060c\u3001\uff0c]/gu, ";");
    let unique = own;
    let skeleton = toSkeleton(unique);
    for (let number = 2; (holders.get(skeleton) ?? id) !== id; number += 1) {
      unique = `${own} ${number}`;
      skeleton = toSkeleton(unique);
    }
    holders.set(skeleton, id);
    return unique;
  };
  const agentName = agent && show(agent);
  return {
    of({ id, name }) {
      if (agent?.id === id && agentName !== null) return agentName;
      // A webhook posts under many names.
      const key = `${id} ${name}`;
      const known = namesByAuthor.get(key);
      if (known !== undefined) return known;
      const unique = show({ id, name });
      namesByAuthor.set(key, unique);
      return unique;
    },
  };
}
