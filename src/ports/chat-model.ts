/**
 * A language model that answers in steps and may request tools in between. Each step costs tokens, and no two are equal. Its output is
 * untrusted: a call runs only if the gate allows it.
 */
export interface ChatModel {
  /** Throws only `EarshotError`: the codes of `Model`, and `unsupported` if the server does not accept the pictures. Never retries. */
  step(request: StepRequest): Promise<Step>;
}

export interface StepRequest {
  /** Earshot's own words. Text by others belongs into the turns, in blocks. */
  readonly system: string;
  readonly turns: readonly ChatTurn[];
  readonly tools: readonly ToolOffer[];
  /** `none`: the model must answer from the turns so far. */
  readonly toolChoice: "auto" | "none";
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
  /**
   * Called with all of the text so far whenever it changes, never with an empty one. The step may still end in tool calls. The text only
   * grows, except if a model marks only the end of its thinking: then the text before that mark is dropped.
   */
  readonly onText?: (text: string) => void;
}

export type ChatTurn =
  | { readonly role: "user"; readonly text: string; readonly pictures?: readonly ChatPicture[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolRequest[] }
  | { readonly role: "tool"; readonly callId: string; readonly tool: string; readonly text: string };

export interface ChatPicture {
  /** Such as image/png. */
  readonly mediaType: string;
  readonly base64: string;
}

export interface ToolOffer {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly about: string;
  /** JSON Schema of the arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ToolRequest {
  /** Unique among the calls of this step and of the turns sent. */
  readonly id: string;
  /** As the model wrote it; it may not be an offered tool. */
  readonly tool: string;
  /** Undefined if it is not valid JSON. */
  readonly args: unknown;
}

export interface Step {
  /** Without the model's thinking; may be empty. */
  readonly text: string;
  readonly calls: readonly ToolRequest[];
  /** The output reached its token limit, or went on far beyond it. */
  readonly isCut: boolean;
  readonly usage: TokenUsage;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Earshot's own upper estimate, because the server sent no usage. */
  readonly isEstimated: boolean;
}
