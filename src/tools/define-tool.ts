import { z } from "zod";
import type { Message } from "../domain/message.ts";
import type { LinePiece } from "../domain/text/untrusted-block.ts";
import type { ToolFacts } from "../policy/grant.ts";
import type { View } from "./view.ts";

/** `read` changes nothing; `send` posts or reacts in Discord, or proposes a change to facts. */
export type Effect = "read" | "send";

type Cited = Pick<Message, "message_id" | "channel_id">;

/** One line of a block: a message, or other text by people, such as a channel's name. */
export type BlockItem = {
  /** Distinguishes the requested line from its context. */
  readonly mark?: ">>> " | "    ";
  /** Items of one group are shown or left out together. */
  readonly group?: number;
  /** A new conversation begins with it. */
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
  /** The channel of the messages below, and the prefix of their links, which is printed if links are wanted. */
  | { readonly kind: "heading"; readonly pieces: readonly LinePiece[]; readonly links: string }
);

/** Text by other people, marked as such for a model. */
export interface ResultBlock {
  readonly label: {
    /** Earshot's word for its kind, such as "channel". */
    readonly kind: string;
    readonly name: string | null;
    readonly from: string | null;
    readonly to: string | null;
    /** Prefix of the links to the messages, if all are of one channel; printed if links are wanted. */
    readonly links?: string;
  };
  /** Earshot's own sentence before the block. */
  readonly intro?: string;
  /** In reading order. */
  readonly items: readonly BlockItem[];
  /** The less useful end, from which items are dropped. */
  readonly dropFrom: "start" | "end";
  /** Earshot's own sentences about the block. */
  readonly notes: readonly string[];
  /** Continues the result. */
  readonly cursor?: string | null;
  /** The text for an empty result, and the variant for a request without a channel if the text speaks of the channel of the request. */
  readonly empty?: string;
  readonly emptyElsewhere?: string;
  /** Some data could not be read: the notes, which state that, come before `empty`. */
  readonly hasOutage?: boolean;
}

interface FieldRoles<Field extends string> {
  /** Fields with message ids, which also accept a handle from an earlier answer, such as m7. */
  readonly handles?: readonly Field[];
  /** Fields with channels, which also accept such a handle, meaning the channel of its message. */
  readonly channels?: readonly Field[];
  /** Defaults to the channel of the request. A request without a channel must give it. */
  readonly hereField?: Field;
  /** Left out of lists for models, which do not need them; programs may give them. */
  readonly unlisted?: readonly Field[];
  /** Limits the text for a model, in tokens. */
  readonly maxTokensField?: Field;
  /** Whether the text contains the id of each message, and the prefix of their links. */
  readonly linksField?: Field;
  /** The number of results. If the text for a model cannot contain all of them, the tool runs again for fewer. */
  readonly limitField?: Field;
}

/** A tool, declared once: every transport, schema and document is generated from this. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends ToolFacts,
    FieldRoles<string> {
  readonly about: string;
  /** Questions for which a model should call this tool first, for `npm run eval -- agent --model --only tools`. Never shown to models or
   * clients. */
  readonly examples?: readonly string[];
  readonly effect: Effect;
  /** It removes something that existed before. */
  readonly isDestructive?: true;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, view: View): Promise<z.output<Output>>;
  /** For a tool that returns text by others. */
  toBlock?(output: z.output<Output>): ResultBlock;
  /** For a tool whose output is text for a model already, within its budget, with text by others in blocks. */
  toText?(output: z.output<Output>): string;
  /** For programs that prepare a model's work; it is not among the model's own tools. */
  readonly isForPrograms?: true;
  /**
   * The answer repeats only messages whose ids it contains. Otherwise all messages read count as shown: a summary contains words of more
   * messages than it cites.
   */
  readonly namesAllShown?: true;
}

/** The argument of every read tool, handled by the gate itself. */
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
