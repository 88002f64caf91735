import type { GuildId, UserId } from "../../domain/ids.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { MentioningFact, MentioningFacts } from "../../gate/memory/mentioning-facts.ts";
import type { Note } from "../../ports/discord.ts";
import { describeGone } from "../kit/privacy-text.ts";
import { type NamesDirectory, toAudienceWords, toShownName, toText } from "./memory-text.ts";
import type { OwnPreviews } from "./own-previews.ts";

export interface MentionNotesDeps {
  /** Null if facts are not stored. */
  readonly mentions: MentioningFacts | null;
  readonly directory: NamesDirectory;
  readonly previews: OwnPreviews;
}

/** Each fact has a separate note with buttons. */
const MAX_SHOWN = 5;
const MAX_VALUE_LENGTH = 500;
const UNCHANGED = "Nothing was changed.";
const NO_MORE: Note = { text: "No more shared facts mention you." };
const UNKNOWN: Note = { text: "Whether shared facts mention you cannot be read just now; try again in a few minutes." };

/** Lists in `/privacy show` the shared facts that mention the person, each with a button to remove it. */
export class MentionNotes {
  readonly #deps: MentionNotesDeps;

  constructor(deps: MentionNotesDeps) {
    this.#deps = deps;
  }

  /** Empty if no fact mentions them. `shown`: ids of facts that they have seen. */
  async about(
    person: UserId,
    guildId: GuildId | null,
    shown: ReadonlySet<string> = new Set(),
  ): Promise<readonly Note[]> {
    const { mentions, previews } = this.#deps;
    if (!mentions) return [];
    const facts = await mentions.list(person, guildId).catch(() => null);
    if (facts === null) return [UNKNOWN];
    const unseen = facts.filter(({ fact }) => !shown.has(fact.id));
    const page = unseen.slice(0, MAX_SHOWN);
    const notes = page.map((one) => this.#toNote(person, one));
    const more = unseen.length - page.length;
    if (more === 0) return notes;
    const next = shown.union(new Set(page.map(({ fact }) => fact.id)));
    const showMore = async () => {
      const rest = await this.about(person, guildId, next);
      return rest.length > 0 ? rest : [NO_MORE];
    };
    const choices = [{ label: "Show more", confirm: showMore }];
    const text = `${more === 1 ? "One more shared fact mentions" : `${more} more shared facts mention`} you.`;
    return [...notes, { text, buttons: previews.add(person, { choices, cancelled: UNCHANGED }) }];
  }

  #toNote(person: UserId, one: MentioningFact): Note {
    const { directory, previews } = this.#deps;
    const { fact, by } = one;
    const text = [
      `A shared fact mentions you. Who hears it: ${toAudienceWords(fact.home, directory)}.`,
      `${toShownName(fact.name)}: ${escapeMarkdown(toText(fact.value), MAX_VALUE_LENGTH)}`,
      ...(by === null ? [] : [`Said by <@${by}>.`]),
    ];
    if (one.askedBy.includes(person)) return { text: [...text, "You have asked for its removal."].join("\n") };
    const confirm = async () => [one.isExact ? this.#previewRemoval(person, one) : this.#previewRequest(person, one)];
    const choices = [{ label: "Have it removed", confirm }];
    return { text: text.join("\n"), buttons: previews.add(person, { choices, cancelled: UNCHANGED }) };
  }

  #previewRemoval(person: UserId, { fact }: MentioningFact): Note {
    const { mentions, previews } = this.#deps;
    const confirm = async () => {
      const receipt = await mentions?.remove(person, fact);
      return receipt ? [{ text: `Removed for everybody: ${toShownName(fact.name)}. ${describeGone(receipt)}` }] : [];
    };
    const text = `${toShownName(fact.name)} would be forgotten for good, with its earlier values, for everybody. That you did so is noted in the audit, by ids.`;
    return {
      text,
      buttons: previews.add(person, { choices: [{ label: "Remove it", confirm }], cancelled: UNCHANGED }),
    };
  }

  #previewRequest(person: UserId, { fact }: MentioningFact): Note {
    const { mentions, previews } = this.#deps;
    const confirm = async () => {
      await mentions?.askRemoval(person, fact);
      return [
        {
          text: `You have asked for the removal of ${toShownName(fact.name)}. It is gone when it is no longer shown here.`,
        },
      ];
    };
    const text = [
      `${toShownName(fact.name)} names you in plain words, and anybody can give themselves a name, so people decide.`,
      "Your request, with your name, would be shown to the person who said it, if it is about themselves, in `/memory list`, and to the admins of the server in `/memory admin list`.",
    ].join("\n");
    return {
      text,
      buttons: previews.add(person, { choices: [{ label: "Ask for it", confirm }], cancelled: UNCHANGED }),
    };
  }
}
