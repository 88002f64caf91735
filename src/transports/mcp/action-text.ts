import type { UserId } from "../../domain/ids.ts";
import { quoteName } from "../../domain/text/escape.ts";
import { STILL_KNOWS } from "../../domain/text/still-knows.ts";
import type { StartOverAction } from "../../policy/action.ts";
import { type ActionDescription, type ActionPlace, toDisclosureLines } from "../kit/describe-action.ts";
import type { ProposalDescription, ProposalDirectory } from "../kit/describe-proposal.ts";
import { toStartOverLines } from "../kit/describe-start-over.ts";
import { toPlainWords } from "../kit/plain-words.ts";

/** As plain text for the actor. */
export function toActionText(action: ActionDescription): string {
  const { texts, titles, hidden } = action;
  const disclosure = toDisclosureLines(action, toPlaceWords);
  const warning = `${hidden} characters in it cannot be seen, or would change how the rest reads; they are written out, like ⟨U+200B⟩.`;
  return [
    `Nothing has been done yet. ${toDeedWords(action)}`,
    ...(hidden > 0 ? [warning] : []),
    ...(disclosure.length > 0 ? [disclosure.join("\n")] : []),
    ...(action.hasStartedOver ? [STILL_KNOWS] : []),
    ...texts.map((text, index) => (titles ? `${titles[index]}:\n${quote(text)}` : quote(text))),
  ].join("\n\n");
}

function toDeedWords({ kind, place, texts, target, pinged }: ActionDescription): string {
  const where = toPlaceWords(place);
  switch (kind) {
    case "react":
      return `This reaction would be added in ${where}, to the message ${target}:`;
    case "edit":
      return `This text would take the place of the message ${target} in ${where}. Nobody would be pinged.`;
    case "delete":
      return `The message ${target} in ${where} would be deleted.`;
    case "thread": {
      const start = target === null ? "" : `, from the message ${target}`;
      return `This thread would be started in ${where}${start}. Nobody would be pinged.`;
    }
    case "typing":
      return `The bot would be shown as typing in ${where}.`;
    case "send": {
      const what = texts.length === 1 ? "This message" : `These ${texts.length} messages`;
      const reply = target === null ? "" : `, in reply to the message ${target}`;
      const pings = pinged.length === 0 ? "Nobody would be pinged." : `This would ping ${pinged.join(", ")}.`;
      return `${what} would be sent to ${where}${reply}. ${pings}`;
    }
  }
}

/** As plain text for the actor. */
export function toStartOverText(action: StartOverAction, actor: UserId, directory: ProposalDirectory): string {
  return toStartOverLines(action, toPlainWords(actor, directory), toPlaceWords).join("\n");
}

/** As plain text for the actor. */
export function toProposalText({ sentences, texts }: ProposalDescription): string {
  const blocks = texts.map(({ title, text }) => `${title}:\n${quote(text)}`);
  return [sentences.join("\n"), ...blocks].join("\n\n");
}

function toPlaceWords(place: ActionPlace): string {
  if (place.kind === "own_dm") return "your direct messages with the bot";
  if (place.kind === "others_dm") return `the bot's direct messages with ${place.recipients.join(", ")}`;
  return place.name === null ? `the channel ${place.channelId}` : `#${quoteName(place.name)} (${place.channelId})`;
}

/** Each line marked, so that nothing in it can pass for a sentence of ours. */
function quote(text: string): string {
  return text.replaceAll(/^/gm, "│ ");
}
