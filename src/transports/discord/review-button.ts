import { toId, type UserId } from "../../domain/ids.ts";
import type { Confirmation } from "../../policy/confirmations.ts";
import type { Button } from "../../ports/discord.ts";

/** What a press asks for. */
export type ReviewStep = "show" | "send" | "discard";

/** What a button says of itself. It is a claim: only the gate knows who may decide. */
export interface ReviewButton {
  readonly step: ReviewStep;
  readonly actor: UserId;
  readonly confirmationId: string;
}

const LABELS: Readonly<Record<ReviewStep, string>> = { show: "Review", send: "Send", discard: "Discard" };

/** It names the actor, so that everybody else gets the same answer whether or not anything still waits. */
export function toButton(step: ReviewStep, { id, operation }: Confirmation): Button {
  return { id: `review:${step}:${operation.actor}:${id}`, label: LABELS[step], isMain: step !== "discard" };
}

/** Null for what is no button of ours. */
export function readButton(id: string): ReviewButton | null {
  const [, step, owner, confirmationId] = /^review:(show|send|discard):(\d{1,20}):([\w-]{1,64})$/.exec(id) ?? [];
  const actor = toId<UserId>(owner);
  if (!actor || confirmationId === undefined) return null;
  return { step: step as ReviewStep, actor, confirmationId };
}
