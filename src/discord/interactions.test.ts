import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Note } from "../ports/discord.ts";
import { isWhisper, type PressAnswers, toPress } from "./interactions.ts";
import type { Raw } from "./read.ts";

const TOKEN = "a secret";

function press(more: object = {}): Raw {
  return {
    id: "1",
    application_id: "2",
    type: 3,
    token: TOKEN,
    data: { component_type: 2, custom_id: "tell" },
    member: { user: { id: "3" } },
    ...more,
  };
}

function listening(): PressAnswers & { readonly heard: string[] } {
  const heard: string[] = [];
  const note = (what: string) => async (_address: object, said?: Note) => {
    heard.push(said ? `${what}: ${said.text}` : what);
  };
  return {
    heard,
    hold: note("hold"),
    whisper: note("whisper"),
    replace: note("replace"),
    amend: note("amend"),
    whisperAgain: note("whisperAgain"),
  };
}

describe("a press", () => {
  it("is read in a server and in a direct message, by whoever Discord says it was", () => {
    expect(toPress("INTERACTION_CREATE", press(), listening())).toMatchObject({ button: "tell", userId: "3" });
    const inDm = press({ member: undefined, user: { id: "4" } });
    expect(toPress("INTERACTION_CREATE", inDm, listening())).toMatchObject({ userId: "4" });
    const both = press({ member: {}, user: { id: "4" } });
    expect(toPress("INTERACTION_CREATE", both, listening())).toBeNull();
  });

  it("keeps its token to itself", () => {
    expect(JSON.stringify(toPress("INTERACTION_CREATE", press(), listening()))).not.toContain(TOKEN);
  });

  it("is nothing that is malformed in any one field, and nothing else that Discord sends", () => {
    const broken = fc
      .constantFrom("id", "application_id", "type", "token", "data", "member")
      .chain((field) =>
        fc
          .oneof(fc.constantFrom(undefined, null, "", {}, [], -1, "x".repeat(2_000)), fc.anything())
          .map((value) => ({ [field]: value })),
      );
    fc.assert(
      fc.property(broken, (field) => {
        const [[name, value] = []] = Object.entries(field);
        const isFit =
          (typeof value === "string" && (/^\d{1,19}$/.test(value) || name === "token")) ||
          (name === "type" && value === 3);
        fc.pre(!isFit || (name === "token" && String(value).length > 1_000));
        expect(toPress("INTERACTION_CREATE", press(field), listening())).toBeNull();
      }),
    );
    for (const type of [1, 2, 4, 5]) expect(toPress("INTERACTION_CREATE", press({ type }), listening())).toBeNull();
    const menu = press({ data: { component_type: 3, custom_id: "tell", values: [] } });
    expect(toPress("INTERACTION_CREATE", menu, listening())).toBeNull();
    const endless = press({ data: { component_type: 2, custom_id: "x".repeat(101) } });
    expect(toPress("INTERACTION_CREATE", endless, listening())).toBeNull();
    expect(toPress("MESSAGE_CREATE", press(), listening())).toBeNull();
  });

  it("is answered first as Discord wants it first, and then as it wants it after", async () => {
    const answers = listening();
    const open = () => {
      const one = toPress("INTERACTION_CREATE", press(), answers);
      if (!one) throw new Error("not a press");
      return one;
    };
    const [plain, slow, decided] = [open(), open(), open()];
    await plain.whisper({ text: "1" });
    await plain.whisper({ text: "2" });
    await slow.hold();
    await slow.hold();
    await slow.whisper({ text: "3" });
    await slow.whisper({ text: "4" });
    await decided.replace({ text: "5" });
    await decided.replace({ text: "6" });
    await decided.whisper({ text: "7" });
    await decided.replace({ text: "8" });
    expect(answers.heard).toEqual([
      ...["whisper: 1", "whisperAgain: 2"],
      ...["hold", "amend: 3", "whisperAgain: 4"],
      ...["replace: 5", "amend: 6", "whisperAgain: 7", "amend: 8"],
    ]);
    await expect(plain.replace({ text: "too late" })).rejects.toMatchObject({ code: "invalid" });
  });
});

it("tells whispers from what everybody was told", () => {
  expect([{ flags: 64 }, { flags: 68 }, { flags: 4 }, { flags: "64" }, {}].map(isWhisper)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
