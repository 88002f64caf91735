/**
 * A language model that answers step by step and may ask for tools in between. Each step is paid for, and none is the same twice. What it says
 * proves nothing: a call is run only where the gate allows it.
 */
export interface ChatModel {
  /**
   * Throws an `EarshotError` and nothing else: as `Model` does, and `unsupported` when the server does not accept the pictures. Does not try again
   * by itself.
   */
  step(request: StepRequest): Promise<Step>;
}

export interface StepRequest {
  /** Our own words. Others' words belong into the turns, in blocks. */
  readonly system: string;
  readonly turns: readonly ChatTurn[];
  readonly tools: readonly ToolOffer[];
  /** `none`: it must answer with what it knows by now. */
  readonly toolChoice: "auto" | "none";
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
  /**
   * Called with all of the text so far, each time it has changed, and never with an empty one. The answer may still turn out to end in calls. The text
   * only grows, unless a model marks the end of its thinking but not the beginning: what came before is gone then.
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
  /** Unique among the calls of one step and of the turns that were sent. */
  readonly id: string;
  /** As the model wrote it: it may be none that was offered. */
  readonly tool: string;
  /** Undefined where it cannot be read as JSON. */
  readonly args: unknown;
}

export interface Step {
  /** Without what the model thought aloud; empty when it said nothing. */
  readonly text: string;
  readonly calls: readonly ToolRequest[];
  /** It had no more room, or went on far beyond it. */
  readonly isCut: boolean;
  readonly usage: TokenUsage;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The server did not say: it is our own upper estimate. */
  readonly isEstimated: boolean;
}
