import type { UserId } from "../ids.ts";
import type { Message } from "../message.ts";
import { type Names, withNames } from "../text/render.ts";
import { toSafeContent, toSafeName } from "../text/safe-text.ts";

/** How people and their words are written in one window. */
export interface Voices {
  /** `you` for whoever asks; the agent goes by its own name. */
  nameOf(message: Message): string;
  /** In one line, and not much of a long text. */
  textOf(message: Message): string;
  /** All of it, with names for mentions, but not made safe. */
  wordsOf(message: Message): string;
}

export interface VoicesRequest {
  readonly actor: UserId;
  readonly agent: { readonly id: UserId; readonly name: string };
  /** Names that those who read the answer may know. */
  readonly names: Names;
  /** See `renderBlock`. */
  readonly nonce: string;
}

const YOU = "you";

export function createVoices({ actor, agent, names, nonce }: VoicesRequest): Voices {
  const shown = new Map<UserId, string>([
    [agent.id, toSafeName(agent.name, nonce)],
    [actor, YOU],
  ]);
  const taken = new Set([...shown.values()].map(toLook));
  /** Nobody is taken for somebody else by going by the same name. */
  const nameAnew = (name: string) => {
    // Between names stand commas.
    const safe = toSafeName(name, nonce).replaceAll(/[,،、，]/gu, ";");
    let own = safe;
    for (let number = 2; taken.has(toLook(own)); number += 1) own = `${safe} ${number}`;
    taken.add(toLook(own));
    return own;
  };
  return {
    nameOf({ author }) {
      const name = shown.get(author.id) ?? nameAnew(author.name);
      shown.set(author.id, name);
      return name;
    },
    textOf({ content, attachments }) {
      const files = attachments.map(({ filename }) => `[file ${filename}]`);
      return toSafeContent([withNames(content, names), ...files].filter((part) => part !== "").join(" "), nonce);
    },
    wordsOf: ({ content }) => withNames(content, names),
  };
}

/** What two names have in common that are easily taken for one another. */
function toLook(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
