import { z } from "zod";
import type { EarshotClient } from "../client/index.ts";
import { EarshotError } from "../domain/errors.ts";
import { type Message, messageSchema } from "../domain/message.ts";
import { createDisplayNames } from "../domain/names/resolve-name.ts";
import { escapeName, quoteName } from "../domain/text/escape.ts";
import { messagePieces } from "../domain/text/message-pieces.ts";
import { renderPieces } from "../domain/text/untrusted-block.ts";
import { type Command, textOption } from "./command.ts";
import { connectToProgram, resolveName } from "./running-program.ts";

export const tail: Command = {
  name: "tail",
  usage: "[--in <channel>] [--json]",
  options: { in: { type: "string" }, json: { type: "boolean" } },
  details: ["--in    only this channel or thread: an id or a name", "--json  print one JSON object per event"],
  async run(args, { config, signal, print, self }) {
    const wanted = textOption(args, "in");
    const only = wanted === undefined ? undefined : await resolveName("channels", wanted, config);
    const client = await connectToProgram(config, self);
    signal.addEventListener("abort", () => void client.close());
    try {
      if (!args.values["json"]) print(`Listening${wanted ? ` in ${wanted}` : ""}. Stop with Ctrl-C.`);
      const teller = new Teller(client);
      for await (const event of client.events()) {
        const { channel_id: channelId } = event.payload as { channel_id?: string };
        if (only !== undefined && channelId !== undefined && channelId !== only) continue;
        const line = args.values["json"] ? JSON.stringify(event) : await teller.describe(event.name, event.payload);
        if (line) print(line);
      }
      if (signal.aborted) return 0;
      throw new EarshotError("unavailable", "The connection to Earshot was lost. Repeat this when it runs again.");
    } finally {
      await client.close();
    }
  },
};

/** Puts events into words, with names learnt from what passes by. */
class Teller {
  readonly #client: EarshotClient;
  readonly #people = new Map<string, string>();
  readonly #channels = new Map<string, string>();
  readonly #displayNames = createDisplayNames({ agent: null, escape: (name) => escapeName(name, null) });

  constructor(client: EarshotClient) {
    this.#client = client;
  }

  /** Null for what a person watching would not care about. */
  async describe(name: string, payload: unknown): Promise<string | null> {
    const message = messageSchema.safeParse(payload).data as Message | undefined;
    if (message) {
      const isEdit = name === "discord.message_update";
      return isEdit && !message.edited_ts
        ? null
        : `${await this.#describeMessage(message)}${isEdit ? " ⟦edited⟧" : ""}`;
    }
    const facts = payload as {
      channel_id?: string;
      message_ids?: string[];
      from?: string;
      to?: string;
      reason?: string;
      state?: string;
    };
    const place = this.#placeOf(facts.channel_id ?? "");
    switch (name) {
      case "discord.message_delete":
      case "discord.message_delete_bulk":
        return `         ${place} ${facts.message_ids?.length === 1 ? "a message was" : `${facts.message_ids?.length} messages were`} deleted`;
      case "discord.access_lost":
        return `         ${place} the bot may no longer read here`;
      case "discord.gap":
        return `         events may have been missed from ${facts.from} to ${facts.to} (${facts.reason})`;
      case "gap":
        return "         this terminal was too slow; some events are not shown";
      case "discord.connection":
        return facts.state === "reconnecting" ? "         connection to Discord lost; mending" : null;
      default:
        return null;
    }
  }

  async #describeMessage(message: Message): Promise<string> {
    this.#people.set(message.author.id, message.author.name);
    const pieces = messagePieces(message, {
      user: (id) => this.#people.get(id),
      channel: (id) => this.#channels.get(id),
      role: () => undefined,
    });
    const author = `${this.#displayNames.of(message.author)}${message.author.bot ? " (Bot)" : ""}`;
    const time = new Date(message.ts).toTimeString().slice(0, 8);
    return `${time} ${await this.#placeName(message)} ${message.reply_to ? "↪ " : ""}${author}: ${renderPieces(pieces, null, Number.POSITIVE_INFINITY)}`;
  }

  #placeOf(channelId: string): string {
    const name = this.#channels.get(channelId);
    return `#${name === undefined ? channelId : quoteName(name)}`;
  }

  /** The author of a message may know the name of its channel: it is asked for on their behalf. */
  async #placeName({ channel_id, guild_id, author }: Message): Promise<string> {
    if (guild_id === null) return "(direct)";
    if (!this.#channels.has(channel_id)) {
      try {
        const opened = await this.#client.call("operation.open", { actor: author.id, channel_id });
        const { operation_id: operationId } = z.object({ operation_id: z.string() }).parse(opened);
        const info = await this.#client.call("discord.channel.info", { channel: channel_id }, { operationId });
        this.#channels.set(channel_id, z.object({ name: z.string() }).parse(info).name);
      } catch {
        // A webhook's author is no person, and a person may have lost access since, so the id is enough.
        return `#${channel_id}`;
      }
    }
    return this.#placeOf(channel_id);
  }
}
