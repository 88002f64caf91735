import type { SummaryPost } from "./summary-posts.ts";

interface Speaker {
  readonly name: string;
  readonly bot: boolean;
  readonly messages: number;
}

/** Authors with their number of messages, people before bots, the maxNames active first. */
export function speakersOf(posts: readonly SummaryPost[]): Speaker[] {
  const byId = new Map<string, Speaker>();
  for (const { name, message } of posts) {
    const { id, bot } = message.author;
    byId.set(id, { name, bot, messages: (byId.get(id)?.messages ?? 0) + 1 });
  }
  return [...byId.values()].sort((a, b) => Number(a.bot) - Number(b.bot) || b.messages - a.messages);
}

/** "Sarah, Mark and Lena"; a longer list ends with "and 9 others". */
export function listNames(names: readonly string[], maxNames: number): string {
  const shown =
    names.length > maxNames + 1 ? [...names.slice(0, maxNames), `${names.length - maxNames} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
