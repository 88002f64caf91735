import { z } from "zod";
import type { Message } from "../domain/message.ts";
import type { LinePiece } from "../domain/text/untrusted-block.ts";
import type { ToolFacts } from "../policy/grant.ts";
import type { View } from "./view.ts";

/** `read` changes nothing; `send` speaks or reacts in Discord, or proposes a change of what is remembered. */
export type Effect = "read" | "send";

type Cited = Pick<Message, "message_id" | "channel_id">;

/** One line of a block: a message, or other text by people, such as a channel's name. */
export type BlockItem = {
  /** Sets what was asked about apart from what stands around it. */
  readonly mark?: ">>> " | "    ";
  /** Items of one group are shown or left out together. */
  readonly group?: number;
  /** Something new begins with it. */
  readonly isApart?: boolean;
} & (
  | { readonly kind: "message"; readonly message: Message }
  /** A line may rest on messages, or be a fact or a passage of a document. */
  | {
      readonly kind: "line";
      readonly pieces: readonly LinePiece[];
      readonly cites?: readonly Cited[];
      readonly factId?: string;
      readonly passageRef?: string;
    }
  /** The place of the messages below, and the beginning of their links, which is printed if links are wanted. */
  | { readonly kind: "heading"; readonly pieces: readonly LinePiece[]; readonly links: string }
);

/** Text by other people, presented to a model as such. */
export interface ResultBlock {
  readonly label: {
    /** Our word for what it is, such as "channel". */
    readonly kind: string;
    readonly name: string | null;
    readonly from: string | null;
    readonly to: string | null;
    /** With which the links to the messages begin, if all are of one channel; told where links are wanted. */
    readonly links?: string;
  };
  /** Our own sentence before the block. */
  readonly intro?: string;
  /** In the order of reading. */
  readonly items: readonly BlockItem[];
  /** The end that matters less, when not everything fits. */
  readonly dropFrom: "start" | "end";
  /** Our own sentences that belong to it. */
  readonly notes: readonly string[];
  /** With which more can be had. */
  readonly cursor?: string | null;
  /** The text for an empty result, and the variant for a request without a channel if the text speaks of the channel of the request. */
  readonly empty?: string;
  readonly emptyElsewhere?: string;
  /** Something could not be read: the notes, which say so, come before `empty`. */
  readonly hasOutage?: boolean;
}

interface FieldRoles<Field extends string> {
  /** They name messages: a handle that an earlier answer gave, such as m7, may stand there. */
  readonly handles?: readonly Field[];
  /** They name channels: such a handle stands for the channel of its message. */
  readonly channels?: readonly Field[];
  /** If it is omitted, it means the channel of the request. A request without a channel must give it. */
  readonly hereField?: Field;
  /** Left out of lists for models, which do without; programs may give them. */
  readonly unlisted?: readonly Field[];
  /** Bounds the text for a model, in tokens. */
  readonly maxTokensField?: Field;
  /** Whether the text tells the id of each message, and with what links to them begin. */
  readonly linksField?: Field;
  /** The number of results. If the text for a model has no room for all of them, the tool runs again for fewer. */
  readonly limitField?: Field;
}

/** A tool, declared once: every transport, schema and document is made from this. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends ToolFacts,
    FieldRoles<string> {
  readonly about: string;
  /** Questions for which a model should call this tool first. `npm run eval -- agent --model --only tools` asks them; no model and no client is shown them. */
  readonly examples?: readonly string[];
  readonly effect: Effect;
  /** Takes something away that was there before. */
  readonly isDestructive?: true;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, view: View): Promise<z.output<Output>>;
  /** For a tool that hands out what others wrote. */
  toBlock?(output: z.output<Output>): ResultBlock;
  /** For a tool whose output already is text for a model, within its budget, with what others wrote in blocks. */
  toText?(output: z.output<Output>): string;
  /** Programs call it to prepare a model's work; it is not among the model's own tools. */
  readonly isForPrograms?: true;
  /**
   * The answer repeats only messages whose ids it contains. Otherwise all messages that were read count as shown: a summary contains words of more messages
   * than it cites.
   */
  readonly namesAllShown?: true;
}

/** The argument of every tool that reads, which the gate itself handles. */
const forField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Channel to repeat it in: returns only what everyone there may read");

/**
 * Ties the types of `run` and the names of fields to the schemas, and adds the field `for` to a tool that reads.
 *
 * @example
 * import { z } from "zod";
 * import { defineTool } from "../src/tools/define-tool.ts";
 *
 * const countMembers = defineTool({
 *   name: "count_members",
 *   about: "How many of these people there are.",
 *   effect: "read",
 *   scope: "directory:read",
 *   toolset: "context",
 *   input: z.strictObject({ people: z.array(z.string()) }),
 *   output: z.object({ count: z.int() }),
 *   run: async ({ people }) => ({ count: people.length }),
 * });
 * console.log(Object.keys(countMembers.input.shape)); // [ 'people', 'for' ]
 */
export function defineTool<const Name extends string, Input extends z.ZodObject, Output extends z.ZodType>(
  tool: Tool<Input, Output> & FieldRoles<keyof z.output<Input> & string> & { readonly name: Name },
): Tool<Input, Output> & { readonly name: Name } {
  if (tool.effect !== "read") return tool;
  const input = tool.input.extend({ for: forField }) as unknown as Input;
  return { ...tool, input, channels: [...(tool.channels ?? []), "for"] };
}
