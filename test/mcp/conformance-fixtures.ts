import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { PromptFeature, ServerFeatures, ToolFeature } from "../../src/transports/mcp/features.ts";

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
/** What a fixture hands a client to hand back. */
const STATE = "a state that nobody changed";

type Run = (args: Record<string, unknown>, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>;

const text = (words: string): ContentBlock => ({ type: "text", text: words });
const image: ContentBlock = { type: "image", data: PNG, mimeType: "image/png" };
const answer = (...content: ContentBlock[]): CallToolResult => ({ content });
const embedded = (uri: string, mimeType: string, words: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType, text: words },
});

function askFor(message: string, field: string): InputRequest {
  const properties = { [field]: { type: "string" as const } };
  return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [field] } });
}

const askModel = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: words } }],
    maxTokens: 100,
  });

/** Asks until every question is answered in the way it was meant. */
function withInput(questions: Record<string, InputRequest>, state?: string): Run {
  return async (_, { mcpReq }) => {
    const isAnswered = Object.keys(questions).every((key) => {
      const response = inputResponse(mcpReq.inputResponses, key);
      return response.kind === "elicit" ? response.content !== undefined : response.kind !== "missing";
    });
    if (!isAnswered)
      return inputRequired({ inputRequests: questions, ...(state === undefined ? {} : { requestState: state }) });
    if (state !== undefined && mcpReq.requestState() !== state)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The state was changed on its way.");
    return answer(text(`state-ok ${JSON.stringify(mcpReq.inputResponses)}`));
  };
}

const progress: Run = async (_, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken;
  for (const done of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress: done, total: 100 },
      });
    await sleep(50);
  }
  return answer(text("done"));
};

const rounds: Run = async (_, { mcpReq }) => {
  const state = mcpReq.requestState<string>();
  if (state === "second round") return answer(text("all rounds done"));
  if (state === "first round") {
    const step2 = askFor("Step 2: What is your favorite color?", "color");
    return inputRequired({ inputRequests: { step2 }, requestState: "second round" });
  }
  const step1 = askFor("Step 1: What is your name?", "name");
  return inputRequired({ inputRequests: { step1 }, requestState: "first round" });
};

/** Asks only for what the client says it can do. */
const capable: Run = async (_, { mcpReq }) => {
  const envelope = mcpReq.envelope as Record<string, Record<string, unknown>> | undefined;
  const can = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
  const inputRequests = {
    ...(can["sampling"] ? { model: askModel("Say something") } : {}),
    ...(can["elicitation"] ? { person: askFor("Who are you?", "name") } : {}),
  };
  return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : answer(text("nothing to ask"));
};

const elicitation: Run = async ({ message }, { mcpReq }) => {
  const field = (description: string) => ({ type: "string" as const, description });
  const properties = { username: field("User's response"), email: field("User's email address") };
  const requestedSchema = { type: "object" as const, properties, required: ["username", "email"] };
  const response = inputResponse(mcpReq.inputResponses, "person");
  if (response.kind === "elicit") return answer(text(`User response: ${JSON.stringify(response)}`));
  return inputRequired({
    inputRequests: { person: inputRequired.elicit({ message: String(message), requestedSchema }) },
  });
};

const confirmation = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});
const nameQuestion = askFor("What is your name?", "name");

const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: async () => answer(text("This is a simple text response for testing.")),
  test_image_content: async () => answer(image),
  test_audio_content: async () => answer({ type: "audio", data: WAV, mimeType: "audio/wav" }),
  test_embedded_resource: async () =>
    answer(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: async () =>
    answer(
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
  test_error_handling: async () => ({
    ...answer(text("This tool intentionally returns an error for testing")),
    isError: true,
  }),
  test_tool_with_progress: progress,
  test_streaming_elicitation: progress,
  test_logging_tool: async () => answer(text("Nothing is ever logged to a client.")),
  test_elicitation: elicitation,
  test_missing_capability: withInput({ model: askModel("Say something") }),
  test_input_required_result_elicitation: withInput({ user_name: nameQuestion }),
  test_input_required_result_sampling: withInput({ capital_question: askModel("What is the capital of France?") }),
  test_input_required_result_list_roots: withInput({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: withInput({ confirm: confirmation }, STATE),
  test_input_required_result_tampered_state: withInput({ confirm: confirmation }, STATE),
  test_input_required_result_multiple_inputs: withInput(
    {
      user_name: nameQuestion,
      greeting: askModel("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    },
    STATE,
  ),
  test_input_required_result_multi_round: rounds,
  test_input_required_result_capabilities: capable,
};

const inputPrompt: PromptFeature = {
  definition: { name: "test_input_required_result_prompt", description: "Asks first." },
  get(_, { mcpReq }) {
    const response = inputResponse(mcpReq.inputResponses, "user_context");
    if (response.kind === "elicit")
      return { messages: [{ role: "user", content: text(JSON.stringify(response.content)) }] };
    return inputRequired({
      inputRequests: { user_context: askFor("What context should the prompt use?", "context") },
    });
  },
};

function prompt(
  name: string,
  needed: readonly string[],
  say: (args: Readonly<Record<string, string>>) => ContentBlock[],
) {
  return {
    definition: {
      name,
      description: `The fixture ${name}.`,
      arguments: needed.map((each) => ({ name: each, description: "Some text", required: true })),
    },
    get: (args: Readonly<Record<string, string>>) => ({
      messages: say(args).map((content) => ({ role: "user" as const, content })),
    }),
  };
}

/** What the conformance suite expects a server to have besides its own. */
export const fixtures: ServerFeatures = {
  tools: Object.entries(TOOLS).map(
    ([name, run]): ToolFeature => ({
      definition: { name, description: `The fixture ${name}.`, inputSchema: { type: "object" } },
      call: (args, context) => run(args as Record<string, unknown>, context),
    }),
  ),
  prompts: [
    prompt("test_simple_prompt", [], () => [text("This is a simple prompt for testing.")]),
    prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => [
      text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    ]),
    prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri = "" }) => [
      embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ]),
    prompt("test_prompt_with_image", [], () => [image, text("Please analyze the image above.")]),
    inputPrompt,
  ],
  resources: {
    list: [
      { uri: "test://static-text", name: "Text", description: "A text.", mimeType: "text/plain" },
      { uri: "test://static-binary", name: "Picture", description: "A picture.", mimeType: "image/png" },
    ],
    templates: [{ uriTemplate: "test://template/{id}/data", name: "Data", description: "Some data." }],
    read(uri) {
      const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      if (id) return Promise.resolve({ contents: [{ uri, mimeType: "application/json", text: data }] });
      if (uri === "test://static-binary")
        return Promise.resolve({ contents: [{ uri, mimeType: "image/png", blob: PNG }] });
      if (uri !== "test://static-text") return null;
      const words = "This is the content of the static text resource.";
      return Promise.resolve({ contents: [{ uri, mimeType: "text/plain", text: words }] });
    },
  },
};
