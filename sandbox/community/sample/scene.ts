import type { AttachmentPlan, EmbedPlan, PostPlan, ThreadPlan } from "../plan.ts";
import { pictures } from "./pictures/index.ts";

/**
 * Parses conversations that are written like a play. A script contains scenes, a scene is one conversation in one channel:
 *
 *     ## general 6d3h ago
 *     sarah: who left the kettle on?
 *     mark > sarah: not me        replies to Sarah's latest message in this scene
 *     +7 sarah: it was me         seven minutes later; otherwise half a minute to two and a half
 *     mei > #kettle-rule: again   replies to the message that has `key kettle-rule`, in whatever scene
 *     * wren joined               a notice by Discord: joined, boosted, pinned
 *
 * Lines indented by two spaces say more about the message above them:
 *
 *       | another line            continues the text (or the file, edit, poll, panel or embed just begun)
 *       react 🎉 mark mei, 👍 ana
 *       edit 3m: the text after the edit
 *       deleted / pinned / key kettle-rule / forward kettle-rule / sticker Wave
 *       image ribs.png 1600x1200: what it shows; pictures/ has the drawing
 *       file tides.csv text/csv
 *       poll 24h: the question    (answers follow as `|` lines)
 *       panel                     (blocks follow as `|` lines)
 *       embed the title           (then: url …, field name: value, footer …, author …)
 *       thread kettle: The kettle question
 *       private thread gift: A gift, then: with sarah mark / tags tools, solved / archived
 */
export function readScenes(source: string, script: string): PostPlan[] {
  const lines: { readonly draft: Draft; readonly where: string }[] = [];
  let scene: Scene | undefined;
  let more: Details | undefined;
  for (const [index, line] of script.split("\n").entries()) {
    const where = `${source}, line ${index + 1}`;
    if (line.trim() === "") continue;
    if (line.startsWith("## ")) {
      scene = openScene(line, where);
      more = undefined;
    } else if (scene === undefined) {
      throw new Error(`${where}: expected a scene header such as "## general 2h ago", found "${line}"`);
    } else if (line.startsWith("  ")) {
      if (more === undefined) throw new Error(`${where}: nothing above this detail: "${line}"`);
      addDetail(more, line.slice(2), where);
    } else {
      const draft = readLine(line, scene, where);
      lines.push({ draft, where });
      more = { draft, extend: (text) => extendText(draft, text) };
    }
  }
  const empty = lines.find(({ draft }) => isEmpty(draft));
  if (empty) throw new Error(`${empty.where}: ${empty.draft.by} says nothing here`);
  return lines.map(({ draft }) => draft);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Draft = Mutable<PostPlan>;

interface Scene {
  readonly in: string;
  minutesAgo: number;
  /** The latest message of each speaker, and the key it gets once somebody replies to it. */
  readonly latest: Map<string, { readonly draft: Draft; readonly key: string }>;
}

/** The message that details are being added to, and where a `|` line goes. */
interface Details {
  readonly draft: Draft;
  extend: (text: string) => void;
  embed?: Mutable<EmbedPlan>;
  thread?: Mutable<ThreadPlan>;
}

const HEADER = /^## (\S+) (?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)? ago$/;
const NOTICE = /^(?:\+(\d+) )?\* ([a-z]+) (joined|boosted|pinned)$/;
const SPEECH = /^(?:\+(\d+) )?([a-z]+)(?: > (#?[a-z0-9-]+))?:(?: (.*))?$/;
const NOTICES = { joined: "join", boosted: "boost", pinned: "pin" } as const;

function openScene(line: string, where: string): Scene {
  const [, place, days, hours, minutes] = HEADER.exec(line) ?? [];
  if (place === undefined) throw new Error(`${where}: a scene header reads "## place 6d3h ago", found "${line}"`);
  const minutesAgo = Number(days ?? 0) * 1440 + Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return { in: place, minutesAgo, latest: new Map() };
}

function readLine(line: string, scene: Scene, where: string): Draft {
  const [, noticeGap, subject, event] = NOTICE.exec(line) ?? [];
  const [, speechGap, speaker, target, text] = SPEECH.exec(line) ?? [];
  const by = subject ?? speaker;
  if (by === undefined) throw new Error(`${where}: expected "name: text", found "${line}"`);

  const gap = noticeGap ?? speechGap;
  if (scene.latest.size > 0 || gap !== undefined) scene.minutesAgo -= gap === undefined ? usualGap(line) : Number(gap);
  if (scene.minutesAgo < 0) throw new Error(`${where}: the scene runs into the future at "${line}"`);

  const draft: Draft = { minutesAgo: scene.minutesAgo, in: scene.in, by };
  if (event === "joined" || event === "boosted" || event === "pinned") draft.system = NOTICES[event];
  if (text !== undefined) draft.text = text;
  if (target !== undefined) draft.replyTo = target.startsWith("#") ? target.slice(1) : latestKey(scene, target, where);
  scene.latest.set(by, { draft, key: where });
  return draft;
}

function latestKey(scene: Scene, speaker: string, where: string): string {
  const latest = scene.latest.get(speaker);
  if (latest === undefined) throw new Error(`${where}: ${speaker} has said nothing in this scene to reply to`);
  latest.draft.key ??= latest.key;
  return latest.draft.key;
}

/** Quarters of a minute are exact in binary and whole in milliseconds. */
function usualGap(line: string): number {
  let sum = 0;
  for (const character of line) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return 0.5 + (sum % 9) / 4;
}

function addDetail(more: Details, line: string, where: string): void {
  if (line === "|" || line.startsWith("| ")) {
    more.extend(line.slice(2));
    return;
  }
  const [, word = "", rest = ""] = /^(private thread|\S+)(?: (.*))?$/.exec(line) ?? [];
  const detail = DETAILS[word];
  if (detail === undefined) throw new Error(`${where}: no such detail: "${line}"`);
  if (!detail(more, rest)) throw new Error(`${where}: cannot read this detail: "${line}"`);
}

/** Each takes the text after its keyword, and returns whether it is valid. */
const DETAILS: Readonly<Record<string, (more: Details, rest: string) => boolean>> = {
  key: ({ draft }, rest) => rest !== "" && set(draft, { key: rest }),
  forward: ({ draft }, rest) => rest !== "" && set(draft, { forwardOf: rest }),
  sticker: ({ draft }, rest) => rest !== "" && set(draft, { sticker: rest }),
  deleted: ({ draft }) => set(draft, { deleted: true }),
  pinned: ({ draft }) => set(draft, { pinned: true }),
  react: ({ draft }, rest) => {
    const groups = rest.split(", ").map((group) => group.split(" "));
    const reactions = Object.fromEntries(groups.map(([emoji = "", ...people]) => [emoji, people]));
    return groups.every((group) => group.length > 1) && set(draft, { reactions });
  },
  edit: (more, rest) => {
    const [, minutes, first] = /^(\d+)m: (.+)$/.exec(rest) ?? [];
    if (first === undefined) return false;
    const edit = { text: first, minutesLater: Number(minutes) };
    more.extend = (text) => extendText(edit, text);
    return set(more.draft, { edit });
  },
  image: ({ draft }, rest) => {
    const [, filename = "", width, height, description] = /^(\S+\.png) (\d+)x(\d+): (.+)$/.exec(rest) ?? [];
    const drawing = pictures[filename];
    if (description === undefined || !drawing) return false;
    const size = { width: Number(width), height: Number(height) };
    const image = { filename, contentType: "image/png", description, ...size, drawing };
    return set(draft, { attachments: [...(draft.attachments ?? []), image] });
  },
  file: (more, rest) => {
    const [filename = "", contentType] = rest.split(" ");
    if (contentType === undefined) return false;
    const file: Mutable<AttachmentPlan> = { filename, contentType };
    more.extend = (text) => extendText(file, text);
    return set(more.draft, { attachments: [...(more.draft.attachments ?? []), file] });
  },
  poll: (more, rest) => {
    const [, hours, question] = /^(\d+)h: (.+)$/.exec(rest) ?? [];
    if (question === undefined) return false;
    const answers: string[] = [];
    more.extend = (text) => answers.push(text);
    return set(more.draft, { poll: { question, answers, hours: Number(hours) } });
  },
  panel: (more) => {
    const panel: string[] = [];
    more.extend = (text) => panel.push(text);
    return set(more.draft, { panel });
  },
  embed: (more, rest) => {
    const embed: Mutable<EmbedPlan> = rest === "" ? {} : { title: rest };
    more.embed = embed;
    more.extend = (text) => {
      embed.description = joinLines(embed.description, text);
    };
    return set(more.draft, { embeds: [...(more.draft.embeds ?? []), embed] });
  },
  url: ({ embed }, rest) => set(embed, { url: rest }),
  footer: ({ embed }, rest) => set(embed, { footer: rest }),
  author: ({ embed }, rest) => set(embed, { author: rest }),
  field: ({ embed }, rest) => {
    const [, name = "", value] = /^(.+?): (.+)$/.exec(rest) ?? [];
    return value !== undefined && set(embed, { fields: [...(embed?.fields ?? []), { name, value }] });
  },
  thread: (more, rest) => openThread(more, rest),
  "private thread": (more, rest) => openThread(more, rest) && set(more.thread, { private: true }),
  with: ({ thread }, rest) => set(thread, { members: rest.split(" ") }),
  tags: ({ thread }, rest) => set(thread, { tags: rest.split(", ") }),
  archived: ({ thread }) => set(thread, { archived: true }),
};

/** False if there is nothing to set it on, such as a footer without an embed. */
function set<Plan extends object>(plan: Plan | undefined, part: Partial<Plan>): boolean {
  if (plan === undefined) return false;
  Object.assign(plan, part);
  return true;
}

function openThread(more: Details, rest: string): boolean {
  const [, key = "", name] = /^([a-z0-9-]+): (.+)$/.exec(rest) ?? [];
  if (name === undefined) return false;
  const thread: Mutable<ThreadPlan> = { key, name };
  more.thread = thread;
  return set(more.draft, { thread });
}

function extendText(holder: { text?: string }, line: string): void {
  holder.text = joinLines(holder.text, line);
}

function joinLines(text: string | undefined, line: string): string {
  return text === undefined ? line : `${text}\n${line}`;
}

function isEmpty({ text, system, forwardOf, embeds, attachments, poll, sticker, panel }: PostPlan): boolean {
  return [text, system, forwardOf, embeds, attachments, poll, sticker, panel].every((part) => part === undefined);
}
