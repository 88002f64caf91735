import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageId } from "../domain/ids.ts";
import type { Note } from "../ports/discord.ts";
import { isWhisper, type PressAnswers, toCommandRun, toFilledForm, toPress, toTyping } from "./interactions.ts";
import type { Raw } from "./read.ts";

const TOKEN = "a secret";

function press(more: object = {}): Raw {
  return {
    id: "1",
    application_id: "2",
    type: 3,
    token: TOKEN,
    channel_id: "5",
    message: { id: "6" },
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
    holdOpenly: async (address) => {
      await note("holdOpenly")(address);
      return "9" as MessageId;
    },
    takeBack: note("takeBack"),
    fillOpenly: note("fillOpenly"),
    ask: async (_address, { id }) => void heard.push(`ask: ${id}`),
  };
}

describe("a button press", () => {
  it("is read in a server and in a direct message, with the user that Discord names", () => {
    expect(toPress("INTERACTION_CREATE", press(), listening())).toMatchObject({ button: "tell", userId: "3" });
    const inDm = press({ member: undefined, user: { id: "4" } });
    expect(toPress("INTERACTION_CREATE", inDm, listening())).toMatchObject({ userId: "4" });
    const both = press({ member: {}, user: { id: "4" } });
    expect(toPress("INTERACTION_CREATE", both, listening())).toBeNull();
  });

  it("does not expose its token", () => {
    expect(JSON.stringify(toPress("INTERACTION_CREATE", press(), listening()))).not.toContain(TOKEN);
  });

  it("is ignored when any one field is malformed, and other interactions are not taken for one", () => {
    const broken = fc
      .constantFrom("id", "application_id", "type", "token", "data", "member", "channel_id", "message")
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

  it("sends its first response and its later responses the way Discord requires", async () => {
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

describe("a command", () => {
  const typed = (more: object = {}): Raw => ({
    ...press(),
    type: 2,
    channel_id: "5",
    guild_id: "6",
    context: 0,
    data: { type: 1, name: "find", options: [{ name: "query", value: "tide" }] },
    ...more,
  });
  const read = (raw: Raw) => toCommandRun("INTERACTION_CREATE", raw, listening());

  it("is read when typed and from a message's menu, in a server and in a direct message", () => {
    const where = { userId: "3", channelId: "5", guildId: "6" };
    expect(read(typed())).toMatchObject({ command: "find", ...where, messageId: null });
    expect([...(read(typed())?.options ?? [])]).toEqual([["query", "tide"]]);
    const menu = { type: 3, name: "Look", target_id: "7" };
    expect(read(typed({ data: menu }))).toMatchObject({ command: "Look", messageId: "7" });
    const inDm = { member: undefined, user: { id: "4" }, guild_id: undefined, context: 1 };
    expect(read(typed(inDm))).toMatchObject({ userId: "4", guildId: null });
  });

  it("has the locale of the person's Discord, and none where it is missing or unknown", () => {
    expect(read(typed({ locale: "en-GB" }))?.locale).toBe("en-GB");
    for (const locale of [undefined, null, 7, {}, "", "xx", "en_US"]) {
      const run = read(typed({ locale }));
      expect(run?.command).toBe("find");
      expect(run?.locale).toBeUndefined();
    }
  });

  it("is answered for everybody only after an open promise, which a whisper takes back first", async () => {
    const answers = listening();
    const open = () => {
      const run = toCommandRun("INTERACTION_CREATE", typed(), answers);
      if (!run) throw new Error("not a command");
      return run;
    };
    const [filled, refused, secret] = [open(), open(), open()];
    expect(await filled.holdOpenly()).toBe("9");
    await filled.fill({ text: "1" });
    await expect(filled.rewrite({ text: "for one" })).rejects.toMatchObject({ code: "invalid" });
    await refused.holdOpenly();
    await refused.whisper({ text: "2" });
    await refused.whisper({ text: "3" });
    await secret.hold();
    await expect(secret.holdOpenly()).rejects.toMatchObject({ code: "invalid" });
    await expect(secret.fill({ text: "for all" })).rejects.toMatchObject({ code: "invalid" });
    await secret.takeBack();
    expect(answers.heard).toEqual([
      ...["holdOpenly", "fillOpenly: 1"],
      ...["holdOpenly", "takeBack", "whisperAgain: 2", "whisperAgain: 3"],
      "hold",
    ]);
  });

  it("is named with its subcommand, and without it where that is malformed or an option with a value", () => {
    const data = { type: 1, name: "privacy", options: [{ type: 1, name: "show", options: [] }] };
    expect(read(typed({ data }))).toMatchObject({ command: "privacy show" });
    expect([...(read(typed({ data }))?.options ?? [])]).toEqual([]);
    const plain = { ...data, options: [{ type: 3, name: "show", value: "x" }] };
    expect(read(typed({ data: plain }))).toMatchObject({ command: "privacy" });
    const broken = { ...data, options: [{ type: 1, name: 7 }] };
    expect(read(typed({ data: broken }))).toMatchObject({ command: "privacy" });
  });

  it("is named with the group of its subcommand, and without both where either is malformed", () => {
    const leaf = { type: 1, name: "list", options: [{ type: 4, name: "page", value: 2 }] };
    const within = (group: object) => read(typed({ data: { type: 1, name: "memory", options: [group] } }));
    const run = within({ type: 2, name: "admin", options: [leaf] });
    expect(run).toMatchObject({ command: "memory admin list" });
    expect([...(run?.options ?? [])]).toEqual([["page", "2"]]);
    expect(within({ type: 2, name: 7, options: [leaf] })).toMatchObject({ command: "memory" });
    expect(within({ type: 2, name: "admin", options: [{ ...leaf, name: "x".repeat(200) }] })).toMatchObject({
      command: "memory",
    });
    expect(within({ type: 2, name: "admin", options: [] })).toMatchObject({ command: "memory admin" });
    // A group stands in no group.
    expect(within({ type: 2, name: "admin", options: [{ ...leaf, type: 2 }] })).toMatchObject({
      command: "memory admin",
    });
  });

  it("is ignored where the bot is not a member, and when any one field is malformed", () => {
    for (const context of [1, 2, "0"]) expect(read(typed({ context }))).toBeNull();
    expect(read(typed({ member: undefined, user: { id: "4" }, guild_id: undefined, context: 2 }))).toBeNull();
    for (const type of [1, 3, 4, 5]) expect(read(typed({ type }))).toBeNull();
    expect(read(typed({ data: { type: 2, name: "Look", target_id: "7" } }))).toBeNull();
    expect(read(typed({ data: { type: 3, name: "Look", target_id: "seven" } }))).toBeNull();
    const broken = fc
      .constantFrom("id", "application_id", "token", "data", "member", "channel_id", "guild_id")
      .chain((field) => fc.constantFrom("", {}, [], -1, "x".repeat(2_000)).map((value) => ({ [field]: value })));
    fc.assert(
      fc.property(broken, (field) => {
        expect(read(typed(field))).toBeNull();
      }),
    );
  });

  it("keeps text options and drops all others", () => {
    const options = [{ name: "a", value: 1 }, null, { value: "x" }, { name: "b", value: "y" }, { name: "c" }];
    expect([...(read(typed({ data: { type: 1, name: "find", options } }))?.options ?? [])]).toEqual([["b", "y"]]);
  });

  it("has the options of its subcommand, whole numbers as digits", () => {
    const options = [
      { type: 3, name: "key", value: "boat" },
      { type: 4, name: "days", value: 7 },
      { type: 4, name: "page", value: 1.5 },
    ];
    const run = read(typed({ data: { type: 1, name: "memory", options: [{ type: 1, name: "remember", options }] } }));
    expect(run).toMatchObject({ id: "1", command: "memory remember" });
    expect([...(run?.options ?? [])]).toEqual([
      ["key", "boat"],
      ["days", "7"],
    ]);
  });

  it("can be deferred, and its deferred response can be rewritten again and again", async () => {
    const answers = listening();
    const run = toCommandRun("INTERACTION_CREATE", typed(), answers);
    await run?.hold();
    await run?.rewrite({ text: "1" });
    await run?.rewrite({ text: "2" });
    await run?.whisper({ text: "3" });
    expect(answers.heard).toEqual(["hold", "amend: 1", "amend: 2", "whisperAgain: 3"]);
  });

  it("reports what is typed into an option, for autocompletion", async () => {
    const given: unknown[] = [];
    const answers = { suggest: async (_: object, choices: unknown) => void given.push(choices) };
    const data = { type: 1, name: "find", options: [{ name: "in", value: "pi", focused: true }] };
    const typing = toTyping("INTERACTION_CREATE", typed({ type: 4, data }), answers);
    expect(typing).toMatchObject({ command: "find", option: "in", typed: "pi", userId: "3", guildId: "6" });
    await typing?.suggest([{ label: "#pier", value: "5" }]);
    expect(given).toEqual([[{ label: "#pier", value: "5" }]]);
    const inSubcommand = { type: 1, name: "memory", options: [{ type: 1, name: "forget", options: data.options }] };
    expect(toTyping("INTERACTION_CREATE", typed({ type: 4, data: inSubcommand }), answers)).toMatchObject({
      command: "memory forget",
      typed: "pi",
    });
    expect(toTyping("INTERACTION_CREATE", typed({ type: 4 }), answers)).toBeNull();
    expect(toTyping("INTERACTION_CREATE", typed({ data }), answers)).toBeNull();
  });
});

it("isWhisper tells ephemeral messages from public ones", () => {
  expect([{ flags: 64 }, { flags: 68 }, { flags: 4 }, { flags: "64" }, {}].map(isWhisper)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe("a filled-in form", () => {
  const filled = (data: object, more: object = {}) =>
    toFilledForm("INTERACTION_CREATE", press({ type: 5, guild_id: "7", data, ...more }), listening());
  const label = (component: object) => ({ type: 18, id: 1, component });

  it("is read with its fields, under labels and in rows, texts and choices", () => {
    const components = [
      label({ type: 4, custom_id: "key", value: "boat" }),
      { type: 1, components: [{ type: 4, custom_id: "value", value: "Petrel" }] },
      label({ type: 3, custom_id: "share", values: ["org"] }),
      label({ type: 4, custom_id: "empty", value: "" }),
    ];
    const form = filled({ custom_id: "remember:6", components });
    expect(form).toMatchObject({ form: "remember:6", userId: "3", channelId: "5", guildId: "7", id: "1" });
    expect([...(form?.fields ?? [])]).toEqual([
      ["key", "boat"],
      ["value", "Petrel"],
      ["share", "org"],
    ]);
  });

  it("is nothing when it is another interaction, or has no id, user or token", () => {
    const data = { custom_id: "remember:6", components: [] };
    expect(filled(data, { type: 3 })).toBeNull();
    expect(filled({ ...data, custom_id: "x".repeat(101) })).toBeNull();
    expect(filled(data, { member: {} })).toBeNull();
    expect(filled(data, { token: "" })).toBeNull();
  });

  it("has no fields where something else stands in their place", () => {
    for (const components of [
      null,
      "x",
      [null, 5, label({ custom_id: 5, value: "x" }), label({ custom_id: "a", value: 5 })],
    ])
      expect(filled({ custom_id: "a", components })?.fields.size).toBe(0);
  });

  it("is asked for once, as the first answer", async () => {
    const answers = listening();
    const run = toCommandRun("INTERACTION_CREATE", press({ type: 2, data: { type: 1, name: "x" } }), answers);
    await run?.ask({ id: "f", title: "F", fields: [] });
    await expect(run?.ask({ id: "f", title: "F", fields: [] })).rejects.toMatchObject({ code: "invalid" });
    await expect(run?.rewrite({ text: "no" })).rejects.toMatchObject({ code: "invalid" });
    expect(answers.heard).toEqual(["ask: f"]);
  });
});
