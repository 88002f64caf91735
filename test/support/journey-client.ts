import { setTimeout as sleep } from "node:timers/promises";
import type { API } from "@discordjs/core";
import type { Sandbox } from "../../sandbox/index.ts";
import { PATIENCE_MS } from "./edge.ts";

/** What a Discord client told its program, in words that do not depend on the client. */
export type Seen =
  | { readonly kind: "ready" | "resumed" }
  | SeenMessage
  | { readonly kind: "edit"; readonly id: string; readonly content: string }
  | { readonly kind: "delete"; readonly id: string }
  | { readonly kind: "bulk-delete"; readonly ids: readonly string[] }
  | { readonly kind: "react" | "unreact"; readonly id: string; readonly userId: string; readonly emoji: string | null }
  | { readonly kind: "vote"; readonly id: string; readonly userId: string; readonly answerId: number }
  | { readonly kind: "typing"; readonly channelId: string; readonly userId: string }
  | { readonly kind: "pins"; readonly channelId: string }
  | { readonly kind: `channel-${Action}`; readonly id: string; readonly name: string; readonly isHidden: boolean }
  | { readonly kind: `thread-${Action}`; readonly id: string; readonly name?: string; readonly isArchived?: boolean }
  | { readonly kind: "thread-sync"; readonly ids: readonly string[] }
  | {
      readonly kind: "thread-members";
      readonly id: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly kind: `role-${Action}`; readonly id: string; readonly name?: string }
  | { readonly kind: "member-add" | "member-remove"; readonly userId: string }
  | {
      readonly kind: "member-update";
      readonly userId: string;
      readonly roles: readonly string[];
      readonly nick: string | null;
    }
  | { readonly kind: "guild-update"; readonly id: string; readonly name: string }
  | { readonly kind: "guild-available" | "guild-unavailable" | "guild-left" | "guild-joined"; readonly id: string }
  | SeenInteraction;

type Action = "create" | "update" | "delete";

export interface SeenMessage {
  readonly kind: "message";
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly authorId: string;
  readonly type: number;
  readonly content: string;
  readonly flags: number;
  readonly replyTo: string | null;
  readonly embedTitles: readonly (string | null)[];
  readonly filenames: readonly string[];
  readonly stickers: readonly string[];
  readonly pollQuestion: string | null;
  readonly snapshotTexts: readonly string[];
  /** Types of the topmost components. */
  readonly components: readonly number[];
  readonly webhookId: string | null;
}

export interface SeenInteraction {
  readonly kind: "interaction";
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly userId: string;
  /** The command's name, or the custom id of a component or modal. */
  readonly name: string;
  /** What was typed into a command's options or a modal's fields. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The text of the message a context menu was opened on. */
  readonly target: string | null;
}

/** A guild as the client holds it after login. */
export interface HeldGuild {
  readonly name: string;
  readonly ownerId: string;
  readonly memberCount: number;
  readonly roles: readonly string[];
  readonly channels: readonly { readonly name: string; readonly isHidden: boolean }[];
  readonly threads: readonly string[];
}

export interface JourneyClient {
  readonly seen: SeenLog;
  /** REST, with the client's own queue and token. */
  readonly api: API;
  guild(id: string): HeldGuild | undefined;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly intents?: number;
  readonly token?: string;
}

export interface JourneyClientKind {
  readonly name: string;
  connect(sandbox: Sandbox, options?: ConnectOptions): Promise<JourneyClient>;
}

type Kind = Seen["kind"];
/** Also out of a union of kinds, which `Extract` would miss. */
type SeenOf<K extends Kind, S = Seen> = S extends { readonly kind: infer Kinds }
  ? K extends Kinds
    ? S
    : never
  : never;

/** Everything seen so far, in order, and what comes next. */
export class SeenLog {
  readonly all: Seen[] = [];

  add(seen: Seen): void {
    this.all.push(seen);
  }

  of<K extends Kind>(kind: K): SeenOf<K>[] {
    return this.all.filter((seen): seen is SeenOf<K> => seen.kind === kind);
  }

  /** The first that fits, whether seen already or still to come. */
  async find<K extends Kind>(kind: K, fits: (seen: SeenOf<K>) => boolean = () => true): Promise<SeenOf<K>> {
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const found = this.of(kind).find(fits);
      if (found) return found;
      await sleep(5);
    }
    throw new Error(`No "${kind}" that fits was seen; seen: ${this.all.map((seen) => seen.kind).join(", ")}`);
  }
}
