import { toId, type UserId } from "../../domain/ids.ts";
import { NEAR_WAY, WAYS, type WayName } from "../../domain/memory/remember-request.ts";
import type { Confirmation } from "../../policy/confirmations.ts";
import type { Button } from "../../ports/discord.ts";
import { WAY_LABELS } from "../kit/describe-proposal.ts";

/** The step that a press requests: show, execute (in the named way if there are several), or discard. */
export type ReviewStep = "show" | "send" | "discard" | WayName;

/** Content of a button. It is a claim: the gate checks who may decide. */
export interface ReviewButton {
  readonly step: ReviewStep;
  readonly actor: UserId;
  readonly confirmationId: string;
}

/** Prefixes of the ids of these buttons, and of those under an answer. */
export const REVIEW_BUTTONS = "review";
export const ANSWER_BUTTONS = "answer";

const LABELS: Readonly<Record<ReviewStep, string>> = {
  show: "Review",
  send: "Send",
  discard: "Discard",
  ...WAY_LABELS,
};
const BUTTON = new RegExp(String.raw`^review:(${Object.keys(LABELS).join("|")}):(\d{1,20}):([\w-]{1,64})$`);

/** The id contains the actor, so that everyone else gets the same reply whether or not the action is pending. */
export function toButton(step: ReviewStep, { id, operation }: Confirmation, label = LABELS[step]): Button {
  return { id: `review:${step}:${operation.actor}:${id}`, label, isMain: step !== "discard" };
}

/** The way chosen by a step; undefined for other steps. */
export function toWay(step: ReviewStep): WayName | undefined {
  return [...WAYS, NEAR_WAY as WayName].find((way) => way === step);
}

/** Null for any other button. */
export function readButton(id: string): ReviewButton | null {
  const [, step, owner, confirmationId] = BUTTON.exec(id) ?? [];
  const actor = toId<UserId>(owner);
  if (!actor || confirmationId === undefined) return null;
  return { step: step as ReviewStep, actor, confirmationId };
}

type AnswerStep = "more" | "share";

/** Content of a button. It is a claim: the person who asked is looked up. */
export interface AnswerButton {
  readonly step: AnswerStep;
  readonly owner: UserId;
  readonly commandId: string;
}

const ANSWER_LABELS: Readonly<Record<AnswerStep, string>> = { more: "More", share: "Share here" };

/** The id contains the owner, so that everyone else gets the same reply whether or not it still works. */
export function toAnswerButton({ step, owner, commandId }: AnswerButton): Button {
  return { id: `answer:${step}:${owner}:${commandId}`, label: ANSWER_LABELS[step], isMain: step === "more" };
}

/** Null for any other button. */
export function readAnswerButton(id: string): AnswerButton | null {
  const [, step, owner, commandId] = /^answer:(more|share):(\d{1,20}):([\w-]{1,64})$/.exec(id) ?? [];
  const userId = toId<UserId>(owner);
  if (!userId || commandId === undefined) return null;
  return { step: step as AnswerStep, owner: userId, commandId };
}
