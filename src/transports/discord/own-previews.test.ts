import { expect, it } from "vitest";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { Note, Press } from "../../ports/discord.ts";
import { OwnAnswers } from "./own-answers.ts";
import { OwnPreviews } from "./own-previews.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const SARAH = "1" as UserId;

function openPreviews() {
  let now = 0;
  let minted = 0;
  const answers = new OwnAnswers(quiet);
  const previews = new OwnPreviews({
    answers,
    clock: { now: () => now },
    mintId() {
      minted += 1;
      return `id-${minted}`;
    },
  });
  let confirmed = 0;
  const add = () =>
    previews.add(SARAH, {
      choices: [
        {
          label: "Do it",
          async confirm() {
            confirmed += 1;
            return [{ text: "Done." }];
          },
        },
      ],
      cancelled: "Not done.",
    });
  const press = async (button: string | undefined, userId: UserId = SARAH): Promise<string[]> => {
    const told: string[] = [];
    const tell = async ({ text }: Note) => void told.push(text);
    const heard: Press = {
      button: button ?? "",
      userId,
      channelId: "1" as ChannelId,
      guildId: null,
      messageId: "2" as MessageId,
      hold: async () => {},
      whisper: tell,
      rewrite: tell,
      replace: tell,
    };
    previews.beginPress(heard);
    await answers.settled();
    return told;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { previews, add, press, pass, confirmed: () => confirmed };
}

it("a preview can be confirmed for ten minutes, and not after that", async () => {
  const { add, press, pass, confirmed } = openPreviews();
  const [first] = add();
  pass(10 * 60_000 - 1);
  expect(await press(first?.id)).toEqual(["Done."]);
  const [second] = add();
  pass(10 * 60_000);
  expect(await press(second?.id)).toEqual(["This has been decided or has expired; use the command again."]);
  expect(confirmed()).toBe(1);
});

it("a preview cannot be decided with the id of its button and another person's name in it", async () => {
  const { add, press, confirmed } = openPreviews();
  const [yes] = add();
  const mark = "2" as UserId;
  expect(await press(yes?.id, mark)).toEqual(["Only the person who asked can do that."]);
  expect(await press(yes?.id.replace(":1:", ":2:"), mark)).toEqual([
    "This has been decided or has expired; use the command again.",
  ]);
  expect(confirmed()).toBe(0);
});

it("more than ten previews of one person push out their oldest", async () => {
  const { add, press } = openPreviews();
  const buttons = Array.from({ length: 11 }, () => add()[0]?.id);
  expect(await press(buttons[0])).toEqual(["This has been decided or has expired; use the command again."]);
  expect(await press(buttons[1])).toEqual(["Done."]);
});
