import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

/** What a server has for a client. */
export interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly OfferedPrompt[];
  readonly resources: OfferedResources;
}

export interface OfferedTool {
  readonly definition: Tool;
  /** Known, and says itself why it cannot be used. */
  readonly isUnlisted?: boolean;
  call(args: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
}

export interface OfferedPrompt {
  readonly definition: Prompt;
  get(
    args: Readonly<Record<string, string>>,
    context: ServerContext,
  ): Promise<GetPromptResult> | GetPromptResult | InputRequiredResult;
}

export interface OfferedResources {
  readonly list: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** Null for an address that is none of these. */
  read(uri: string, context: ServerContext): Promise<ReadResourceResult> | null;
}
