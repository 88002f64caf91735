import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { NEAR_WAY, WAYS, type WayName } from "../../domain/memory/remember-request.ts";
import { quoteName } from "../../domain/text/escape.ts";
import { STILL_KNOWS } from "../../domain/text/still-knows.ts";
import type { Gate } from "../../gate/gate.ts";
import type { ProposalPreview } from "../../gate/memory/own-facts.ts";
import { isInMemory, type StartOverAction } from "../../policy/action.ts";
import type { Confirmation, Deciding } from "../../policy/confirmations.ts";
import { type ActionDescription, type ActionPlace, describeAction, toDisclosureLines } from "../kit/describe-action.ts";
import { describeProposal, type ProposalDescription, type ProposalDirectory } from "../kit/describe-proposal.ts";
import { toStartOverLines } from "../kit/describe-start-over.ts";
import { toPlainWords } from "../kit/plain-words.ts";

export interface ConfirmDeps {
  readonly gate: Gate;
  readonly directory: ProposalDirectory;
}

/** The host that asks the person. */
export interface Host {
  readonly actor: UserId;
  /** The client acts only for this person, so its host may also ask about facts about them. */
  readonly isTheirs: boolean;
  readonly context: ServerContext;
}

type RememberPreview = Extract<ProposalPreview, { kind: "remember" }>;

const QUESTION = {
  type: "object" as const,
  properties: { confirm: { type: "boolean" as const, title: "Do exactly this" } },
  required: ["confirm"],
};

const UNTOLD =
  "If something is remembered under this key for the same people, it is replaced; everything else stays. In Discord, /memory list shows what there is.";

/**
 * Asks the person through the host, or processes their answer. The model is not involved: question and answer travel beside the tool's
 * arguments. Null once executed; throws the same `waiting` error while they are undecided, and `forbidden` if they declined.
 */
export async function askPerson(
  waiting: EarshotError & { readonly confirmationId: string },
  { actor, isTheirs, context }: Host,
  deps: ConfirmDeps,
): Promise<InputRequiredResult | null> {
  const { gate } = deps;
  const id = waiting.confirmationId;
  const deciding = { inPerson: isTheirs };
  const confirmation = findWaiting(() => gate.confirmations.find(id, actor, deciding));
  // Decisions about a person are left to them in Discord, because this host also acts for others.
  if (!confirmation) throw waiting;
  const answer = inputResponse(context.mcpReq.inputResponses, id);
  if (answer.kind !== "elicit") {
    // Showing it is a disclosure, even if only the actor sees it.
    if (!(await gate.mayReview(id, actor, deciding))) throw waiting;
    const question = await toQuestion(confirmation, deciding, deps);
    return inputRequired({ inputRequests: { [id]: inputRequired.elicit(question) } });
  }
  if (answer.action === "cancel") throw waiting;
  // If there are several ways, the person must choose one.
  const hasWays = confirmation.action.kind === "remember";
  const way = hasWays ? toWay(answer.content?.["choice"], confirmation) : undefined;
  const isYes = hasWays ? way !== undefined : answer.content?.["confirm"] === true;
  if (answer.action === "accept" && isYes) {
    await gate.confirm(id, actor, { ...deciding, ...(way && { way }) });
    return null;
  }
  gate.confirmations.reject(id, actor, deciding);
  throw new EarshotError("forbidden", "The person asking has declined this. Do not ask again.");
}

async function toQuestion(
  { id, action, operation }: Confirmation,
  deciding: Deciding,
  { gate, directory }: ConfirmDeps,
): Promise<Parameters<typeof inputRequired.elicit>[0]> {
  const { actor } = operation;
  if (action.kind === "start_over")
    return { message: toStartOverText(action, actor, directory), requestedSchema: QUESTION };
  if (!isInMemory(action))
    return { message: toActionText(describeAction(action, operation, directory)), requestedSchema: QUESTION };
  const { confined } = operation.client.grant;
  const preview = await gate.preview(id, actor, deciding);
  const isUntold = confined && preview.kind === "remember";
  const asked = isUntold ? withoutEarlier(preview) : withoutNear(preview);
  const proposal = describeProposal(asked, toPlainWords(actor, directory));
  const message = toProposalText(isUntold ? { ...proposal, sentences: [...proposal.sentences, UNTOLD] } : proposal);
  const ways = proposal.choices.flatMap(({ way, label }) => (way ? [{ const: way, title: label }] : []));
  if (ways.length === 0) return { message, requestedSchema: QUESTION };
  const choice = { type: "string" as const, title: "How to remember it", oneOf: ways };
  return { message, requestedSchema: { type: "object", properties: { choice }, required: ["choice"] } };
}

/**
 * The program sees the question, too. A confined one must not learn whether there is an earlier value outside its reads: the question is
 * the same either way, and only replaced values end.
 */
function withoutEarlier(preview: RememberPreview): RememberPreview {
  const nothing = { replaces: [], staysShared: [], ends: [] };
  const ways = preview.ways.filter(({ name }) => !endsEarlier(name)).map((way) => ({ ...way, ...nothing }));
  return withoutNear({ ...preview, ways });
}

function withoutNear<Preview extends ProposalPreview>(preview: Preview): Preview {
  if (preview.kind !== "remember") return preview;
  return { ...preview, ways: preview.ways.filter(({ name }) => name !== NEAR_WAY) };
}

function endsEarlier(way: WayName): boolean {
  return way.endsWith("_end_old");
}

function toWay(chosen: unknown, { operation }: Confirmation): WayName | undefined {
  const { confined } = operation.client.grant;
  return WAYS.find((way) => way === chosen && !(confined && endsEarlier(way)));
}

function findWaiting(find: () => Confirmation): Confirmation | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    throw error;
  }
}

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

function toStartOverText(action: StartOverAction, actor: UserId, directory: ProposalDirectory): string {
  return toStartOverLines(action, toPlainWords(actor, directory), toPlaceWords).join("\n");
}

export function toProposalText({ sentences, texts }: ProposalDescription): string {
  const blocks = texts.map(({ title, text }) => `${title}:\n${quote(text)}`);
  return [sentences.join("\n"), ...blocks].join("\n\n");
}

export function toPlaceWords(place: ActionPlace): string {
  if (place.kind === "own_dm") return "your direct messages with the bot";
  if (place.kind === "others_dm") return `the bot's direct messages with ${place.recipients.join(", ")}`;
  return place.name === null ? `the channel ${place.channelId}` : `#${quoteName(place.name)} (${place.channelId})`;
}

/** Marks each line, so that nothing in it can pass for Earshot's own text. */
function quote(text: string): string {
  return text.replaceAll(/^/gm, "│ ");
}
