import { EarshotError } from "../domain/errors.ts";
import { quoteName } from "../domain/text/escape.ts";
import { estimateTokens } from "../domain/text/tokens.ts";
import type { ChatModel, Step, StepRequest } from "../ports/chat-model.ts";
import type { Context } from "./command.ts";

/** For each question. */
export const CHECK_TIMEOUT_MS = 120_000;
/** Models that think need room for it. */
const ANSWER_TOKENS = 512;
/** For the marks that a server puts around the prompt. */
const SPARE_TOKENS = 64;
/** Every tokenizer counts about one token for each word of `FILLER`. A server that counts far fewer has read only a part. */
const MIN_READ_SHARE = 0.75;
const CODE_WORD = "marmalade";
const FILLER = "It is a day in the sun and we go to the sea. ";
/** 64 by 64 pixels, all red. */
const RED_PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsAtx/eOZwwi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywItD+Dx+ECPrQAAAABJRU5ErkJggg==";

/** Asks the configured model some small questions, and prints what works and what to set. False where something must be changed. */
export async function checkModel(model: ChatModel | null, context: Context): Promise<boolean> {
  if (!model) {
    context.print(
      "✓ model: none is set, and none is needed; to use one, set EARSHOT_MODEL (and EARSHOT_MODEL_URL, unless Ollama runs here)",
    );
    return true;
  }
  if (!(await checkAnswer(model, context))) return false;
  const isContextSound = await checkContext(model, context);
  await checkTools(model, context);
  await checkPictures(model, context);
  return isContextSound;
}

async function checkAnswer(model: ChatModel, context: Context): Promise<boolean> {
  const { config, print } = context;
  const name = `model ${quoteName(config.model.name ?? "")} at ${config.model.baseUrl}`;
  const step = await ask(model, context, { turns: [{ role: "user", text: "Reply with one word: ready" }] });
  if (step instanceof EarshotError) {
    print(`✗ ${name}: ${step.message}`);
    print(
      "  → Check EARSHOT_MODEL_URL, EARSHOT_MODEL and EARSHOT_MODEL_KEY. Ollama: ollama list prints the names of its models.",
    );
    return false;
  }
  if (step.text !== "") print(`✓ ${name}: answers`);
  else {
    print(`✗ ${name}: its answer has no text`);
    print("  → It may think for too long: use a model that does not think, or switch thinking off in its server.");
  }
  return step.text !== "";
}

/** The code word stands where a server cuts that holds less than it is sent. */
async function checkContext(model: ChatModel, context: Context): Promise<boolean> {
  const { config, print, note } = context;
  const { contextTokens } = config.model;
  const [start, end] = [`The code word is ${CODE_WORD}. `, "Which code word is given at the beginning? Reply with it."];
  const room = contextTokens - ANSWER_TOKENS - SPARE_TOKENS - estimateTokens(start + end);
  const text = start + FILLER.repeat(Math.floor((room * 1_000) / estimateTokens(FILLER.repeat(1_000)))) + end;
  const sent = estimateTokens(text);
  note(`asking the model with a prompt of ${sent} tokens …`);
  const step = await ask(model, context, { turns: [{ role: "user", text }] });
  if (step instanceof EarshotError) {
    print(`✗ context: a prompt of ${sent} tokens fails: ${step.message}`);
    print("  → Lower EARSHOT_MODEL_CONTEXT_TOKENS to what the model's server holds.");
    return false;
  }
  const { inputTokens, isEstimated } = step.usage;
  const counted = isEstimated ? "the server does not report how many it read" : `the server read ${inputTokens}`;
  const isRead = isEstimated || inputTokens >= sent * MIN_READ_SHARE;
  if (isRead && repeats(step)) {
    print(`✓ context: a prompt of ${sent} tokens is read from its beginning; ${counted}`);
    return true;
  }
  // If the server does not report how much it read, a model that cannot repeat a word would look like one that never received it.
  const short =
    isRead && isEstimated ? await ask(model, context, { turns: [{ role: "user", text: start + end }] }) : null;
  if (isRead && (!short || short instanceof EarshotError || !repeats(short))) {
    print(`! context: a prompt of ${sent} tokens is taken, and the model did not find the code word in it; ${counted}`);
    print("  → It is a weak model for long texts: a larger one will answer better.");
    return true;
  }
  const missing = repeats(step) ? "" : ", and the reply lacks the code word at the beginning";
  print(`✗ context: the server cuts the front of a prompt of ${sent} tokens: ${counted}${missing}`);
  print(
    `  → Ollama: start its server with OLLAMA_CONTEXT_LENGTH=${contextTokens}, or make a model from a Modelfile with`,
  );
  print(`    PARAMETER num_ctx ${contextTokens}. Or lower EARSHOT_MODEL_CONTEXT_TOKENS to what the server holds.`);
  return false;
}

function repeats({ text }: Step): boolean {
  return text.toLowerCase().includes(CODE_WORD);
}

async function checkTools(model: ChatModel, context: Context): Promise<void> {
  const { print } = context;
  const schema = { type: "object", properties: { number: { type: "integer" } }, required: ["number"] };
  const step = await ask(model, context, {
    turns: [{ role: "user", text: "Call the tool note_number with the number 7." }],
    tools: [{ name: "note_number", about: "Notes a number.", schema }],
  });
  if (!(step instanceof EarshotError) && step.calls.some(({ tool }) => tool === "note_number")) {
    print("✓ tools: the model calls them");
    return;
  }
  print(`! tools: ${step instanceof EarshotError ? step.message : "the model did not call one when it was asked to"}`);
  print("  → Use a model that can call tools: this one cannot look anything up.");
}

async function checkPictures(model: ChatModel, context: Context): Promise<void> {
  const { print } = context;
  const pictures = [{ mediaType: "image/png", base64: RED_PICTURE }];
  const text = "Which colour is this picture? Reply with one word.";
  const step = await ask(model, context, { turns: [{ role: "user", text, pictures }] });
  if (step instanceof EarshotError) {
    print(`! pictures: ${step.code === "unsupported" ? "the model's server does not accept them" : step.message}`);
    print("  → To have pictures read, use a model that sees.");
  } else if (/\bred\b/i.test(step.text)) print("✓ pictures: the model sees them");
  else print("! pictures: accepted, but the model did not see that one was red");
}

async function ask(
  model: ChatModel,
  { signal }: Context,
  request: Pick<StepRequest, "turns"> & Partial<StepRequest>,
): Promise<Step | EarshotError> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  const defaults = {
    system: "",
    tools: [],
    toolChoice: "auto",
    maxOutputTokens: ANSWER_TOKENS,
    signal: limit,
  } as const;
  try {
    return await model.step({ ...defaults, ...request });
  } catch (error) {
    if (error instanceof EarshotError) return error;
    throw error;
  }
}
