import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { audiencesOf, type Fact } from "../../domain/memory/fact.ts";
import { matchFacts } from "../../domain/memory/match-facts.ts";
import { NEAR_WAY, type WayName } from "../../domain/memory/remember-request.ts";
import { singleLine } from "../../domain/text/escape.ts";
import type { OwnFacts, OwnPreview, OwnRequest, ShownWay } from "../../gate/memory/own-facts.ts";
import type { Consent } from "../../ports/consent.ts";
import type { Choice, CommandRun, FilledForm, Note, Typing } from "../../ports/discord.ts";
import { describeProposal, type ProposalDirectory } from "../kit/describe-proposal.ts";
import { describeAudience, describeWhy } from "../kit/describe-why.ts";
import { type RecordContext, toMemoryExport } from "../kit/fact-record.ts";
import { NOTHING_REMEMBERED, type PersonMemoryDeps } from "../kit/person-memory.ts";
import { PersonRates } from "../kit/person-rates.ts";
import { EXPORT_FACTS, FORGET, LIST_FACTS, REMEMBER, REMEMBER_THIS, REVIEW_FACTS, WHY } from "./command-menu.ts";
import { showReview } from "./memory-review.ts";
import {
  describeFacts,
  describeForgotten,
  describeInstead,
  describeProfile,
  LEFT_OUT,
  toAudienceWords,
  toShownName,
} from "./memory-text.ts";
import { MAX_NOTE_LENGTH } from "./message-lines.ts";
import type { OwnAnswers } from "./own-answers.ts";
import type { OwnPreviews } from "./own-previews.ts";
import { toDecisionNotes, toDiscordWords } from "./proposal-notes.ts";
import { toRememberForm, toRememberRequest } from "./remember-this.ts";

export interface MemoryCommandDeps extends Pick<PersonMemoryDeps, "ownMemory" | "ownTalks" | "clock"> {
  readonly directory: ProposalDirectory & RecordContext["directory"];
  readonly consent: Pick<Consent, "isLeftOut">;
  readonly answers: OwnAnswers;
  readonly previews: OwnPreviews;
}

type Work = (run: CommandRun, facts: OwnFacts) => Promise<readonly Note[]>;

const DAY_MS = 86_400_000;
/** Discord waits three seconds for a form. */
const MAX_LOOK_MS = 2_000;
const PAGE = 10;
const MAX_CHOICES = 25;
const MAX_LABEL_LENGTH = 100;

/** `/memory`: people's actions on facts about themselves. It bypasses the gate, so no scope, rule, toolset or budget takes it away. */
export class MemoryCommand {
  readonly #deps: MemoryCommandDeps;
  readonly #rates: PersonRates;
  readonly #commands: Readonly<Record<string, Work>> = {
    [REMEMBER]: (run, facts) => this.#remember(run, facts),
    [LIST_FACTS]: (run, facts) => this.#list(run, facts),
    [WHY]: (run, facts) => showWhy(run, facts, this.#deps.directory),
    [REVIEW_FACTS]: (run, facts) => showReview(run, facts, this.#deps),
    [FORGET]: (run, facts) => this.#forget(run, facts),
    [EXPORT_FACTS]: (run, facts) => this.#export(run, facts),
  };

  constructor(deps: MemoryCommandDeps) {
    this.#deps = deps;
    this.#rates = new PersonRates(deps.clock);
  }

  /** False for another command. */
  begin(run: CommandRun): boolean {
    if (run.command === REMEMBER_THIS) return this.#beginThis(run);
    const work = Object.hasOwn(this.#commands, run.command) ? this.#commands[run.command] : undefined;
    if (!work) return false;
    const { ownMemory, answers } = this.#deps;
    answers.begin(run, async () => {
      this.#rates.take(run.userId);
      return ownMemory ? work(run, ownMemory) : [{ text: NOTHING_REMEMBERED }];
    });
    return true;
  }

  /** In the menu of a message. */
  #beginThis(run: CommandRun): true {
    const { ownMemory, answers } = this.#deps;
    const { userId, channelId, messageId } = run;
    answers.beginForm(run, async () => {
      this.#rates.take(userId);
      if (!ownMemory || messageId === null) throw new EarshotError("unavailable", NOTHING_REMEMBERED);
      const signal = AbortSignal.timeout(MAX_LOOK_MS);
      return toRememberForm(messageId, await ownMemory.readOwnMessage(userId, { channelId, messageId }, signal));
    });
    return true;
  }

  /** False for another form. */
  beginForm(filled: FilledForm): boolean {
    const request = toRememberRequest(filled);
    if (!request) return false;
    const { ownMemory, answers } = this.#deps;
    answers.begin(filled, async () => {
      this.#rates.take(filled.userId);
      return ownMemory ? this.#preview(filled.userId, request, ownMemory) : [{ text: NOTHING_REMEMBERED }];
    });
    return true;
  }

  suggestsFor({ command }: Typing): boolean {
    return command === FORGET || command === WHY;
  }

  /** One's own facts whose name contains the typed text. */
  async suggest({ userId, typed, suggest }: Typing): Promise<void> {
    let choices: readonly Choice[] = [];
    try {
      const facts = (await this.#deps.ownMemory?.listNames(userId)) ?? [];
      choices = facts
        .filter(({ name }) => toSearchable(name).includes(toSearchable(typed)))
        .slice(0, MAX_CHOICES)
        .map(({ id, name, home }) => ({ label: toLabel(name, this.#toPlainAudience(home)), value: id }));
    } finally {
      await suggest(choices);
    }
  }

  async #remember(run: CommandRun, facts: OwnFacts): Promise<readonly Note[]> {
    const { options, userId, channelId, guildId } = run;
    const share = options.get("share") ?? "private";
    const days = options.get("days");
    const request: OwnRequest = {
      key: options.get("key"),
      value: options.get("value"),
      visibility: share === "project" || share === "org" ? share : "private",
      channelId,
      guildId,
      ...(days !== undefined && { expiresAt: this.#deps.clock.now() + Number(days) * DAY_MS }),
      typedIn: run.id,
    };
    return this.#preview(userId, request, facts);
  }

  async #preview(person: UserId, request: OwnRequest, facts: OwnFacts): Promise<readonly Note[]> {
    const { directory, previews, consent } = this.#deps;
    const preview = await facts.preview(person, request);
    // Frozen with its expiry, however late the person decides.
    const frozen = { ...request, key: preview.name, value: preview.value, expiresAt: preview.expiresAt };
    // It may be refused under that name, which does not affect this one.
    const replaced = preview.near && facts.preview(person, { ...frozen, key: preview.near.fact.name });
    const near = replaced && (await replaced.catch(() => null));
    const profile = await facts.profile(person);
    const isLeftOut = consent.isLeftOut(person);
    const ways = toWays(preview, near);
    const shown = { kind: "remember", request: { ...preview, ends: [] }, project: null, ways } as const;
    const description = describeProposal(shown, toDiscordWords(person, directory));
    const more = [...describeInstead(preview.name, profile), ...(isLeftOut ? [LEFT_OUT] : [])];
    const texts = toDecisionNotes(description, previews.expiry(), more);
    const ends = preview.staysShared.map(({ fact }) => fact.id);
    const toDecided = (way: WayName | null) => {
      if (way === NEAR_WAY && near) return { request: { ...frozen, key: near.name }, shown: near };
      return { request: way === "as_shown_end_old" ? { ...frozen, ends } : frozen, shown: preview };
    };
    const buttons = previews.add(person, {
      choices: description.choices.map(({ way, label }) => ({
        label,
        confirm: () => this.#store(person, toDecided(way), facts),
      })),
      cancelled: "Nothing was remembered.",
    });
    return texts.map((text, index) => (index === texts.length - 1 ? { text, buttons } : { text }));
  }

  /** Stores exactly what was shown: if the effects have changed since, shows the new ones first. */
  async #store(
    person: UserId,
    { request, shown }: { readonly request: OwnRequest; readonly shown: OwnPreview },
    facts: OwnFacts,
  ): Promise<readonly Note[]> {
    if (toEffect(await facts.preview(person, request)) !== toEffect(shown)) {
      const [first, ...more] = await this.#preview(person, request, facts);
      const text = "Something has changed since you were shown this; here it is again.";
      return [{ text }, ...(first ? [first] : []), ...more];
    }
    const fact = await facts.remember(person, request);
    const audience = describeAudience({ fact }, toDiscordWords(person, this.#deps.directory));
    return [{ text: `Remembered: ${toShownName(fact.name)}. ${audience} \`/memory forget\` ends it.` }];
  }

  async #list({ userId, options }: CommandRun, facts: OwnFacts): Promise<readonly Note[]> {
    const { directory, consent } = this.#deps;
    const all = await facts.list(userId);
    const pages = Math.max(1, Math.ceil(all.length / PAGE));
    const page = Number(options.get("page") ?? 1);
    if (!(page >= 1 && page <= pages)) return [{ text: `There is no page ${page}; the last one is ${pages}.` }];
    const profile = page === 1 ? describeProfile(await facts.profile(userId), all, directory) : [];
    const shown = all.slice((page - 1) * PAGE, page * PAGE);
    const isLeftOut = consent.isLeftOut(userId);
    const head = toListHead(all.length, page, pages);
    const texts = describeFacts(shown, { head, profile, isLeftOut, person: userId, directory });
    return texts.map((text) => ({ text }));
  }

  async #forget(run: CommandRun, facts: OwnFacts): Promise<readonly Note[]> {
    const { id, name } = await chooseFact(run, facts);
    return [{ text: describeForgotten(name, await facts.forget(run.userId, id)) }];
  }

  async #export({ userId: person }: CommandRun, facts: OwnFacts): Promise<readonly Note[]> {
    const { clock, directory } = this.#deps;
    const all = await facts.export(person);
    const talks = (await this.#deps.ownTalks?.talksOf(person)) ?? [];
    const text = JSON.stringify(toMemoryExport({ facts: all, talks }, clock.now(), { person, directory }), null, 2);
    const count = `${toCount(all.length, "fact")}${talks.length > 0 ? `, and ${toCount(talks.length, "talk")} with this bot, without words` : ""}`;
    return [
      {
        text: `Everything that is remembered about you, with its history: ${count}. The file's link opens for everybody who has it: download it, and do not pass the link on.`,
        file: { name: "earshot-memory.json", contentType: "application/json", text },
      },
    ];
  }

  #toPlainAudience(home: OwnPreview["home"]): string {
    const { directory } = this.#deps;
    if (home.kind !== "channel") return toAudienceWords(home, directory).replaceAll("\\", "");
    return `#${directory.channel(home.id)?.name ?? "a channel out of reach"}`;
  }
}

/** If a narrower value follows a shared one, the person decides whether the audience of the shared one keeps it. */
function toWays(preview: OwnPreview, near: OwnPreview | null): ShownWay[] {
  const toWay = ({ name: key, replaces, staysShared, ...more }: OwnPreview, name: WayName): ShownWay => {
    return { name, key, audiences: audiencesOf(more), replaces, staysShared, ends: [] };
  };
  const way = toWay(preview, "as_shown");
  const ending: ShownWay = { ...way, name: "as_shown_end_old", staysShared: [], ends: way.staysShared };
  return [way, ...(way.staysShared.length > 0 ? [ending] : []), ...(near ? [toWay(near, NEAR_WAY)] : [])];
}

/** The side effects of remembering, as a comparable string. */
function toEffect({ home, expiresAt, replaces, staysShared, basis }: OwnPreview): string {
  const [gone, kept] = [replaces, staysShared].map((facts) => facts.map(({ fact }) => fact.id).sort());
  return JSON.stringify([home, expiresAt, gone, kept, basis]);
}

function toCount(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function toListHead(count: number, page: number, pages: number): string {
  if (count === 0) return "Nothing is remembered about you. `/memory remember` changes that.";
  if (count === 1) return "1 fact is remembered about you.";
  return `${count} facts are remembered about you, the newest first${pages > 1 ? `; page ${page} of ${pages}` : ""}.`;
}

function toSearchable(text: string): string {
  return singleLine(text).normalize("NFKC").trim().toLowerCase();
}

/** Suggestions are plain text, without formatting. */
function toLabel(name: string, audience: string): string {
  const line = `${singleLine(name)} (${singleLine(audience)})`;
  return line.length <= MAX_LABEL_LENGTH ? line : `${line.slice(0, MAX_LABEL_LENGTH - 1).toWellFormed()}…`;
}

/** Explains one of the person's own facts, in as few notes as possible. */
async function showWhy(run: CommandRun, facts: OwnFacts, directory: ProposalDirectory): Promise<readonly Note[]> {
  const { userId } = run;
  const { id, name } = await chooseFact(run, facts);
  const own = await facts.show(userId, id);
  const words = { ...toDiscordWords(userId, directory), directory };
  const lines = [...describeWhy(own, words), ...describeInstead(name, await facts.profile(userId))];
  const notes: string[] = [];
  for (const line of lines) {
    const last = notes.at(-1);
    if (last === undefined || last.length + line.length + 1 > MAX_NOTE_LENGTH) notes.push(line);
    else notes[notes.length - 1] = `${last}\n${line}`;
  }
  return notes.map((text) => ({ text }));
}

/** By the suggested id, or by a unique name or id prefix. */
async function chooseFact(
  { userId, options }: CommandRun,
  facts: Pick<OwnFacts, "listNames">,
): Promise<Pick<Fact, "id" | "name">> {
  const [chosen, ...others] = matchFacts(options.get("fact") ?? "", await facts.listNames(userId));
  if (others.length > 0)
    throw new EarshotError("invalid", "Several facts could be meant; pick one from the list that is suggested.");
  if (!chosen) throw new EarshotError("not_found", "You have no such fact.");
  return chosen;
}
