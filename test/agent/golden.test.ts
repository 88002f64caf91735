import { afterAll, expect, it } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import type { Turn } from "../../src/agent/turn.ts";
import { openAnswerWorld } from "../support/answer-world.ts";

/** Who asks, where, and what; `+` follows the question above. */
const QUESTIONS = `
wren | general |
wren | general | thanks, that helps a lot!
wren | general | hello
wren | general | what can you do?
sam | general | tell me a joke
sam | general | what's 17 * 23?
lena | general | erzähl mir einen Witz
wren | general | when is the tideboard deadline?
wren | general | + who said that?
wren | general | + and the code freeze?
jurgen | general | wann ist die Deadline vom Tideboard?
minjun | general | 마감이 언제예요?
yuki | general | 締め切りはいつですか？
ines | general | ¿quién encontró el calcetín de Theo?
chloe | general | à quelle heure ferme le portail ?
jonah | general | who made the green sauce?
dex | general | whose red kayak is tied to the fuel dock?
fatima | general | where is the key for the west store?
dex | general | how big is a loggerhead?
rosa | general | how many votes did One Good Tern get in the run-off?
ana | general | what's Mark's dog called?
quinn | general | is there a dentist someone recommends?
wren | general | are visitors allowed on the slipway at low water?
hugo | general | why was the deadline moved to the 26th?
wren | general | what did Sarah say about the turtle?
wren | general | + and Mark?
wren | general | + yesterday?
mark | general | what did I say about turtles?
wren | general | what did she say?
wren | general | catch me up on tideboard
omar | Dry run | who brings the ladder according to this thread?
sarah | general | what's my berth?
sarah | general | what do you know about me?
wren | general | what do you know about Sarah?
wren | general | which berth does Sarah have?
wren | general | tell me about marquees
sarah | dm | what do you know about me?
sarah | general | remember that my timezone is CET
sarah | dm | forget my berth
wren | general | when is the launch?
kofi | staff-room | when is the launch?
yuki | general | when is the yoga class?
lena | general | what did Zorro say about the boat?
crumb | ask-earshot | what did earshot say about the loggerhead?
sara | general | what did Jonah say in #humans-only?
`;

const { ask, close } = await openAnswerWorld(createBuiltinAnswerer());
afterAll(close);

it("the built-in answerer answers as written down in golden-answers.md", async () => {
  let before: Turn | null = null;
  const pairs: string[] = [];
  for (const line of QUESTIONS.trim().split("\n")) {
    const [as = "", place = "", typed = ""] = line.split("|").map((part) => part.trim());
    const text = typed.replace(/^\+ /, "");
    const isFollowing = text !== typed;
    const { answer } = await ask({
      text,
      as,
      in: place === "Dry run" ? "dry-run" : place,
      before: isFollowing ? before : null,
    });
    // Whoever asks a third question still speaks of the first.
    if (answer.kind === "text" && (!isFollowing || text.startsWith("and"))) before = answer.turn;
    pairs.push(`## ${as} in ${place}: ${text}\n\n${answer.kind === "text" ? answer.text : answer.emoji}\n`);
  }
  await expect(pairs.join("\n")).toMatchFileSnapshot("golden-answers.md");
});
