import type { UserId } from "../../domain/ids.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { ProposalPreview } from "../../gate/memory/own-facts.ts";
import type { Confirmation } from "../../policy/confirmations.ts";
import type { Button } from "../../ports/discord.ts";
import {
  describeProposal,
  type ProposalDescription,
  type ProposalDirectory,
  type ProposalWords,
} from "../kit/describe-proposal.ts";
import { packBlocks } from "./pack-blocks.ts";
import { toButton } from "./review-button.ts";

const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 200;
/** With more hidden characters, a person would not read all notes. */
const MAX_NOTES = 8;

/** The full content of a proposal, as notes for its person, with a button for each way. No texts if it cannot be shown in full. */
export function toProposalNotes(
  preview: ProposalPreview,
  confirmation: Confirmation,
  directory: ProposalDirectory,
): { readonly texts: readonly string[] | null; readonly buttons: readonly Button[] } {
  const description = describeProposal(preview, toDiscordWords(confirmation.operation.actor, directory));
  const notes = toDecisionNotes(description, confirmation.expiresAt);
  return {
    texts: notes.length > MAX_NOTES ? null : notes,
    buttons: description.choices.map(({ way, label }) => toButton(way ?? "send", confirmation, label)),
  };
}

/** The texts in blocks in which nothing formats, pings or hides. `more`: sentences of the caller's own. */
export function toDecisionNotes(
  { sentences, texts }: Pick<ProposalDescription, "sentences" | "texts">,
  expiresAt: number,
  more: readonly string[] = [],
): string[] {
  const [first = "", ...others] = sentences;
  const until = `You can decide until <t:${Math.floor(expiresAt / 1_000)}:T>.`;
  return packBlocks([`**${first}**`, ...others, ...more, until].join("\n"), texts);
}

/** For notes in Discord. */
export function toDiscordWords(actor: UserId, directory: ProposalDirectory): ProposalWords {
  return {
    actor,
    directory,
    channel: (id) => `<#${id}>`,
    server: (id) => quote(directory.guild(id)?.name ?? id, MAX_NAME_LENGTH),
    value: (text) => quote(text, MAX_VALUE_LENGTH),
    time: (ms) => `<t:${Math.floor(ms / 1_000)}:f>`,
  };
}

/** Escapes text by others, so that it cannot pass for Earshot's. */
function quote(text: string, maxLength: number): string {
  return `“${escapeMarkdown(text.replace(/[“”„‟]/gu, '"'), maxLength)}”`;
}
