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

/** The server features offered to one client. */
export interface ServerFeatures {
  readonly tools: readonly ToolFeature[];
  readonly prompts: readonly PromptFeature[];
  readonly resources: ResourceFeatures;
}

export interface ToolFeature {
  readonly definition: Tool;
  /** Not in the list; a call returns the reason why it cannot be used. */
  readonly isUnlisted?: boolean;
  call(args: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
}

export interface PromptFeature {
  readonly definition: Prompt;
  get(
    args: Readonly<Record<string, string>>,
    context: ServerContext,
  ): Promise<GetPromptResult | InputRequiredResult> | GetPromptResult | InputRequiredResult;
}

export interface ResourceFeatures {
  readonly list: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** Null for any other address. */
  read(uri: string, context: ServerContext): Promise<ReadResourceResult> | null;
}
