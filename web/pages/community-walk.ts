import { type Signal, signal } from "@preact/signals";
import type {
  SeenAction,
  SeenCommand,
  SeenCommunity,
  SeenMessage,
  SeenOutcome,
} from "../../src/transports/console/sandbox-community.ts";
import type { CommunityLine } from "../../src/transports/console/stream-community.ts";
import { RequestError } from "../kit/api.ts";
import { apiAs } from "../kit/people.ts";
import { readLines } from "../kit/read-lines.ts";
import { lose } from "../kit/session.ts";

const RETRY_MS = 3_000;
/** A stream that is silent for this long is dead: a line comes at least every ten seconds. */
const MAX_QUIET_MS = 30_000;
const CHUNK_SIZE = 100;
const TYPING_MS = 8_000;
/** New messages are drawn at intervals, of each batch only the latest. */
const DRAW_INTERVAL_MS = 100;
const MAX_DRAWN = 10;
/** After this long without more than can be drawn, what was left out is loaded. */
const CALM_MS = 1_500;

/** The messages of one channel, as far as they were loaded, in pieces that are drawn or left out as a whole. The oldest first. */
interface Talk {
  readonly chunks: readonly (readonly SeenMessage[])[];
  readonly isStart: boolean;
  readonly isLoading: boolean;
}

/** One person walking around in the community. */
export interface Walk {
  readonly personId: string;
  readonly community: Signal<SeenCommunity | null>;
  readonly channelId: Signal<string | null>;
  readonly talk: Signal<Talk>;
  readonly commands: Signal<readonly SeenCommand[]>;
  /** Channels with something new. */
  readonly unread: Signal<ReadonlySet<string>>;
  readonly typing: Signal<string | null>;
  readonly isStale: Signal<boolean>;
  /** More is said than can be read: some of it is left out for now. */
  readonly isSampled: Signal<boolean>;
  /** Why the last action was refused. */
  readonly refusal: Signal<string>;
  /** A form that waits for this person. */
  readonly form: Signal<Extract<SeenOutcome, { kind: "form" }> | null>;
  open(channelId: string): Promise<void>;
  loadOlder(): Promise<void>;
  /** Null where it was refused. */
  act(action: SeenAction): Promise<SeenOutcome | null>;
  close(): void;
}

const NOTHING: Talk = { chunks: [], isStart: false, isLoading: true };

export function startWalk(personId: string): Walk {
  const api = apiAs(personId).community;
  const end = new AbortController();
  let typingTimer: ReturnType<typeof setTimeout> | undefined;
  let calmTimer: ReturnType<typeof setTimeout> | undefined;
  /** Messages of this channel that are still to be drawn. */
  const waiting: SeenMessage[] = [];
  const walk: Walk = {
    personId,
    community: signal<SeenCommunity | null>(null),
    channelId: signal<string | null>(null),
    talk: signal(NOTHING),
    commands: signal<readonly SeenCommand[]>([]),
    unread: signal<ReadonlySet<string>>(new Set<string>()),
    typing: signal<string | null>(null),
    isStale: signal(false),
    isSampled: signal(false),
    refusal: signal(""),
    form: signal<Extract<SeenOutcome, { kind: "form" }> | null>(null),
    async open(channelId) {
      walk.channelId.value = channelId;
      waiting.length = 0;
      walk.talk.value = NOTHING;
      walk.typing.value = null;
      walk.refusal.value = "";
      walk.unread.value = new Set([...walk.unread.value].filter((each) => each !== channelId));
      await attempt(async () => {
        const [page, { commands }] = await Promise.all([
          load(channelId),
          api.commands.$post({ json: { channelId } }).then((response) => response.json()),
        ]);
        if (walk.channelId.value !== channelId) return;
        walk.commands.value = commands as SeenCommand[];
        // Messages that arrived live while the page was loading are newer.
        const known = new Set(page.messages.map(({ id }) => id));
        const live = walk.talk.value.chunks.flat().filter(({ id }) => !known.has(id));
        walk.talk.value = {
          chunks: [page.messages, live].filter((chunk) => chunk.length > 0),
          isStart: page.isStart,
          isLoading: false,
        };
      });
    },
    async loadOlder() {
      const { channelId, talk } = walk;
      const [id, oldest] = [channelId.value, talk.value.chunks[0]?.[0]];
      if (id === null || !oldest || talk.value.isStart || talk.value.isLoading) return;
      talk.value = { ...talk.value, isLoading: true };
      await attempt(async () => {
        const { messages, isStart } = await load(id, oldest.id);
        if (channelId.value !== id) return;
        const chunks = messages.length > 0 ? [messages, ...talk.value.chunks] : talk.value.chunks;
        talk.value = { chunks, isStart, isLoading: false };
      });
    },
    async act(action) {
      walk.refusal.value = "";
      return attempt(async () => {
        const outcome = (await (await api.act.$post({ json: action })).json()) as SeenOutcome;
        if (outcome.kind === "form") walk.form.value = outcome;
        return outcome;
      });
    },
    close() {
      end.abort();
      clearTimeout(calmTimer);
    },
  };
  const load = async (channelId: string, before?: string) => {
    const json = before === undefined ? { channelId } : { channelId, before };
    return (await (await api.messages.$post({ json })).json()) as { messages: SeenMessage[]; isStart: boolean };
  };
  void follow();
  return walk;

  /** A refusal is shown beside the talk; anything else concerns the whole console. */
  async function attempt<Result>(run: () => Promise<Result>): Promise<Result | null> {
    try {
      return await run();
    } catch (error) {
      const isRefusal = error instanceof RequestError && !["disconnected", "unauthenticated"].includes(error.code);
      if (isRefusal) walk.refusal.value = error.message;
      else if (error instanceof RequestError && error.code === "disconnected") walk.isStale.value = true;
      else if (!end.signal.aborted) lose(error);
      walk.talk.value = { ...walk.talk.value, isLoading: false };
      return null;
    }
  }

  async function follow(): Promise<void> {
    while (!end.signal.aborted) {
      const quiet = new AbortController();
      let timer = setTimeout(() => quiet.abort(), MAX_QUIET_MS);
      try {
        const response = await api.live.$post({}, { init: { signal: AbortSignal.any([end.signal, quiet.signal]) } });
        if (walk.isStale.value) reload();
        walk.isStale.value = false;
        for await (const line of readLines<CommunityLine>(response.body as ReadableStream<Uint8Array<ArrayBuffer>>)) {
          take(line);
          clearTimeout(timer);
          timer = setTimeout(() => quiet.abort(), MAX_QUIET_MS);
        }
      } catch (error) {
        if (end.signal.aborted) return;
        if (error instanceof RequestError && !["disconnected", "unavailable"].includes(error.code)) return lose(error);
      } finally {
        clearTimeout(timer);
      }
      if (end.signal.aborted) return;
      walk.isStale.value = true;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  function reload(): void {
    if (walk.channelId.value !== null) void walk.open(walk.channelId.value);
  }

  function take(line: CommunityLine): void {
    switch (line.kind) {
      case "missed":
        reload();
        return;
      case "community": {
        walk.community.value = line.community;
        const isLost = !line.community.channels.some(({ id }) => id === walk.channelId.value);
        if (!isLost) return;
        // Nothing that this person may no longer see stays on the page.
        waiting.length = 0;
        walk.talk.value = { chunks: [], isStart: true, isLoading: false };
        if (walk.channelId.value === null) {
          const first = line.community.channels.find(({ name }) => name === "general") ?? line.community.channels[0];
          if (first) void walk.open(first.id);
        }
        return;
      }
      case "typing":
        if (line.channelId !== walk.channelId.value) return;
        walk.typing.value = line.name;
        clearTimeout(typingTimer);
        typingTimer = setTimeout(() => {
          walk.typing.value = null;
        }, TYPING_MS);
        return;
      case "deleted":
        draw();
        if (line.channelId === walk.channelId.value)
          change((chunk) => chunk.filter(({ id }) => !line.messageIds.includes(id)));
        return;
      case "message":
        if (line.message.channelId === walk.channelId.value) {
          if (waiting.push(line.message) === 1) setTimeout(draw, DRAW_INTERVAL_MS);
        } else walk.unread.value = new Set([...walk.unread.value, line.message.channelId]);
    }
  }

  function draw(): void {
    const all = waiting.splice(0);
    if (all.length > MAX_DRAWN) {
      walk.isSampled.value = true;
      clearTimeout(calmTimer);
      calmTimer = setTimeout(() => {
        walk.isSampled.value = false;
        reload();
      }, CALM_MS);
    }
    for (const message of all.slice(-MAX_DRAWN)) put(message);
  }

  function change(edit: (chunk: readonly SeenMessage[]) => readonly SeenMessage[]): void {
    walk.talk.value = { ...walk.talk.value, chunks: walk.talk.value.chunks.map(edit) };
  }

  function put(message: SeenMessage): void {
    const { chunks } = walk.talk.value;
    const isKnown = chunks.some((chunk) => chunk.some(({ id }) => id === message.id));
    if (isKnown) {
      change((chunk) =>
        chunk.some(({ id }) => id === message.id)
          ? chunk.map((each) => (each.id === message.id ? message : each))
          : chunk,
      );
      return;
    }
    const oldest = chunks[0]?.[0];
    // An older one has changed that was not loaded.
    if (oldest && BigInt(message.id) < BigInt(oldest.id)) return;
    walk.typing.value = null;
    const last = chunks.at(-1) ?? [];
    const next = last.length < CHUNK_SIZE ? [...chunks.slice(0, -1), [...last, message]] : [...chunks, [message]];
    walk.talk.value = { ...walk.talk.value, chunks: next };
  }
}
