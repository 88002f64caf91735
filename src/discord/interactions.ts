import { ButtonStyle, ComponentType, InteractionType, MessageFlags } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import { toId, type UserId } from "../domain/ids.ts";
import type { Button, Note, Press } from "../ports/discord.ts";
import { isRecord, type Raw, record, text } from "./read.ts";

/** How Discord is told which press is answered. The token is a secret: whoever has it speaks as the bot. */
export interface PressAddress {
  readonly id: string;
  readonly applicationId: string;
  readonly token: string;
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding */
export interface PressAnswers {
  /** The first answer is one of these three. */
  hold(press: PressAddress): Promise<void>;
  whisper(press: PressAddress, note: Note): Promise<void>;
  replace(press: PressAddress, note: Note): Promise<void>;
  /** Fills what was held, or changes what was whispered or replaced first. */
  amend(press: PressAddress, note: Note): Promise<void>;
  whisperAgain(press: PressAddress, note: Note): Promise<void>;
}

const LONGEST_ID = 100;
const LONGEST_TOKEN = 1_000;

/** Null for everything that is no well-formed press of a button. */
export function toPress(type: string, raw: Raw, answers: PressAnswers): Press | null {
  if (type !== "INTERACTION_CREATE" || raw["type"] !== InteractionType.MessageComponent) return null;
  const data = record(raw["data"]);
  if (data["component_type"] !== ComponentType.Button) return null;
  const button = word(data["custom_id"], LONGEST_ID);
  const token = word(raw["token"], LONGEST_TOKEN);
  const id = toId(raw["id"]);
  const applicationId = toId(raw["application_id"]);
  const userId = presserOf(raw);
  if (!button || !token || !id || !applicationId || !userId) return null;
  return { button, userId, ...answering({ id, applicationId, token }, answers) };
}

/** Only one person sees it, though its channel has many readers: it must not pass for something that was said there. */
export function isWhisper(message: Raw): boolean {
  const flags = message["flags"];
  return typeof flags === "number" && (flags & MessageFlags.Ephemeral) !== 0;
}

export function toComponents(buttons: readonly Button[]) {
  if (buttons.length === 0) return [];
  const components = buttons.map(({ id, label, isMain = false }) => ({
    type: ComponentType.Button as const,
    style: isMain ? (ButtonStyle.Primary as const) : (ButtonStyle.Secondary as const),
    label,
    custom_id: id,
  }));
  return [{ type: ComponentType.ActionRow as const, components }];
}

function answering(address: PressAddress, answers: PressAnswers): Pick<Press, "hold" | "whisper" | "replace"> {
  let stage: "open" | "held" | "whispered" | "replaced" = "open";
  return {
    async hold() {
      if (stage !== "open") return;
      await answers.hold(address);
      stage = "held";
    },
    async whisper(note) {
      if (stage === "open") await answers.whisper(address, note);
      else if (stage === "held") await answers.amend(address, note);
      else await answers.whisperAgain(address, note);
      if (stage !== "replaced") stage = "whispered";
    },
    async replace(note) {
      if (stage === "open") await answers.replace(address, note);
      else if (stage === "replaced") await answers.amend(address, note);
      else throw new EarshotError("invalid", "What was answered with a whisper cannot replace its message.");
      stage = "replaced";
    },
  };
}

/** In a server the presser is a member, in a DM a user. */
function presserOf(raw: Raw): UserId | null {
  const user = isRecord(raw["member"]) ? raw["member"]["user"] : raw["user"];
  return toId<UserId>(record(user)["id"]);
}

/** A text that is used whole or not at all. */
function word(value: unknown, most: number): string | null {
  return typeof value === "string" && value.length <= most ? text(value) || null : null;
}
