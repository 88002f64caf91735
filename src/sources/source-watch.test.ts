import { describe, expect, it } from "vitest";
import {
  ANN,
  BOT,
  CHANNEL,
  createSourceWatchWorld,
  DM,
  directory,
  GUILD,
  MINUTE,
  START,
  TICKER,
} from "../../test/support/source-watch-world.ts";
import type { GuildId } from "../domain/ids.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { Label } from "./label.ts";

describe("a source deleted after it was read", () => {
  it("is reported only when it is one of the messages that were read", () => {
    const { read, remove, state } = createSourceWatchWorld();
    read("101");
    read("102");
    remove("103");
    expect(state()).toBe("standing");
    remove("104", "102");
    expect(state()).toBe("deleted");
    expect(state(new Label())).toBe("standing");
  });

  it("is reported as deleted for an hour after the last deletion, and as uncertain after that", () => {
    const { watch, read, remove, state, pass, label } = createSourceWatchWorld();
    read("101");
    remove("101");
    pass(40 * MINUTE);
    remove("101");
    pass(40 * MINUTE);
    remove("200");
    expect(state()).toBe("deleted");
    pass(20 * MINUTE - 1);
    remove("201");
    expect(state()).toBe("deleted");
    pass(1);
    remove("202");
    expect(state()).toBe("uncertain");
    expect(watch.doubtful(label, directory).map(({ messageId }) => messageId)).toEqual(["101"]);
    expect(state(read("300", {}, new Label()))).toBe("standing");
  });

  it("is reported as deleted while fewer than 5,000 others were deleted after its last deletion", () => {
    const { read, remove, state, pass } = createSourceWatchWorld();
    read("1");
    for (const id of ["1", ...Array.from({ length: 4_999 }, (_, index) => `${10 + index}`), "1"]) remove(id);
    pass(1);
    remove("2");
    expect(state()).toBe("deleted");
  });

  it("is reported as uncertain when its deletion was evicted by more recent ones", () => {
    const { read, remove, state, pass } = createSourceWatchWorld();
    read("1");
    pass(1);
    remove("1");
    pass(1);
    for (let id = 10; id < 5_010; id += 1) remove(`${id}`);
    expect(state()).toBe("uncertain");
    expect(state(read("7", {}, new Label()))).toBe("standing");
  });
});

describe("a source edited after it was read", () => {
  it("counts as changed when typed words are gone, and not after additions or edits of other messages", () => {
    const { read, edit, state } = createSourceWatchWorld();
    read("101");
    edit("102", "");
    edit("101", "meet at five, bring cake");
    expect(state()).toBe("standing");
    edit("101", "meet at six, bring cake");
    expect(state()).toBe("changed");
    edit("101", "meet at five");
    expect(state()).toBe("standing");
  });

  it("counts as changed only by what its author typed: a removed link preview does not count", () => {
    const { watch, read, state, stand } = createSourceWatchWorld();
    read("101", { text: "see https://tides.example" });
    const bare = stand("101", "see https://tides.example");
    const preview = { kind: "embed" as const, text: "Tides today" };
    for (const parts of [[...bare.parts, preview], bare.parts])
      watch.note({ type: "message_update", message: { ...bare, parts } });
    expect(state()).toBe("standing");
    watch.note({
      type: "message_update",
      message: { ...bare, parts: [preview], content: "see https://tides.example" },
    });
    expect(state()).toBe("changed");
  });

  it("counts as changed when a later read shows that words are gone, even without an edit event", () => {
    const { read, state, pass } = createSourceWatchWorld();
    read("101");
    pass(1);
    read("101", { text: "meet at six" });
    expect(state()).toBe("changed");
  });

  it("is compared with its text at the time of reading, not with earlier versions", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    edit("101", "meet at six");
    pass(1);
    read("101", { text: "meet at seven" });
    expect(state()).toBe("standing");
  });

  it("counts as changed by any edit since it was read if its text is not known", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    edit("101", "meet at five");
    read("101", { text: null });
    expect(state()).toBe("standing");
    pass(1);
    edit("101", "meet at five, all of you");
    expect(state()).toBe("changed");
  });

  it("does not count as changed when it is our own message or by a bot that edits all the time", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    read("101", { author: { ...ANN, id: BOT, bot: true }, text: "thinking" });
    edit("101", "the answer", { ...ANN, id: BOT, bot: true });
    expect(state()).toBe("standing");
    read("102", { author: TICKER, text: "12 aboard" });
    edit("102", "13 aboard", TICKER);
    expect(state()).toBe("changed");
    for (let count = 14; count < 20; count += 1) {
      pass(1_000);
      edit("102", `${count} aboard`, TICKER);
    }
    expect(state()).toBe("standing");
    // The third edit from the end was two seconds ago.
    pass(10 * MINUTE - 2_001);
    expect(state()).toBe("standing");
    pass(1);
    expect(state()).toBe("changed");
  });

  it("counts as changed when a bot removes its text, however often the bot edits other messages", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    read("101", { author: TICKER, text: "my address is 12 Quay Road" });
    for (let count = 0; count < 5; count += 1) {
      pass(1_000);
      edit("102", `${count} aboard`, TICKER);
    }
    edit("101", "removed", TICKER);
    expect(state()).toBe("changed");
  });

  it("counts as changed when a file or a bot's embed is removed", () => {
    const { watch, read, state, stand } = createSourceWatchWorld();
    read("101", { text: "here\nplan.txt" });
    watch.note({ type: "message_update", message: stand("101", "here") });
    expect(state()).toBe("changed");
  });

  it("counts as changed when a person edits it, however often they edit", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    read("101");
    for (let count = 0; count < 9; count += 1) {
      pass(1_000);
      edit("101", `meet at ${count}`);
    }
    expect(state()).toBe("changed");
  });

  it("is reported as changed while fewer than 300 others were edited after its last edit", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    read("1");
    pass(1);
    for (const id of ["1", ...Array.from({ length: 299 }, (_, index) => `${10 + index}`), "1"]) edit(id, "x");
    edit("2", "x");
    expect(state()).toBe("changed");
  });

  it("is reported as uncertain when its edit was evicted by more recent ones", () => {
    const { read, edit, state, pass } = createSourceWatchWorld();
    read("1");
    pass(1);
    edit("1", "");
    for (let id = 10; id < 310; id += 1) edit(`${id}`, "x");
    expect(state()).toBe("uncertain");
    expect(state(read("2", { channel: DM }, new Label()))).toBe("standing");
  });
});

describe("a source that may have changed unnoticed", () => {
  it("is uncertain when it was read before a gap in its server or in direct messages", () => {
    const { read, gap, state, pass } = createSourceWatchWorld();
    const [inGuild, inDm] = [read("101", {}, new Label()), read("102", { channel: DM }, new Label())];
    pass(1);
    gap(["2" as GuildId], 1);
    expect([state(inGuild), state(inDm)]).toEqual(["standing", "standing"]);
    gap([GUILD], 1);
    expect([state(inGuild), state(inDm)]).toEqual(["uncertain", "standing"]);
    gap([], 0);
    expect(state(inDm)).toBe("uncertain");
    pass(1);
    expect(state(read("103", {}, new Label()))).toBe("standing");
  });

  it.each<[string, DiscordEvent]>([
    ["the bot left the server", { type: "guild_removed", guildId: GUILD, channelIds: [] }],
    ["the server was described again", { type: "guild", guildId: GUILD }],
    ["the bot lost access to the channel", { type: "access_lost", channelId: CHANNEL, guildId: GUILD, lineage: [] }],
    ["the channel was deleted", { type: "channel_deleted", channelId: CHANNEL, guildId: GUILD, lineage: [] }],
  ])("is uncertain when it was read before %s, and sources elsewhere are not", (_, event) => {
    const { watch, read, state, pass } = createSourceWatchWorld();
    const [there, elsewhere] = [read("101", {}, new Label()), read("102", { channel: DM }, new Label())];
    watch.note(event);
    expect([state(there), state(elsewhere)]).toEqual(["uncertain", "standing"]);
    pass(1);
    expect(state(read("103", {}, new Label()))).toBe("standing");
  });

  it("can only be a message: a name that was read cannot be deleted", () => {
    const { gap, state } = createSourceWatchWorld();
    const named = new Label();
    named.add([{ kind: "told", channelId: CHANNEL }], START);
    gap([GUILD], 0);
    expect(state(named)).toBe("standing");
  });

  it("is certain again after a lookup shows it unchanged", () => {
    const { watch, read, gap, state, stand, label, pass } = createSourceWatchWorld();
    read("101");
    gap([GUILD], 1);
    pass(1);
    const [source] = watch.doubtful(label, directory);
    if (!source) throw new Error("it is doubtful");
    expect(watch.isUnchanged(source, stand("101", "meet at five, all"))).toBe(true);
    label.confirm(source.messageId, START + 1);
    expect(state()).toBe("standing");
  });

  it("is listed as doubtful, and sources elsewhere or read since are not", () => {
    const { watch, read, gap, label, pass } = createSourceWatchWorld();
    read("101");
    read("102", { channel: DM });
    gap([GUILD], 1);
    pass(1);
    read("103");
    expect(watch.doubtful(label, directory).map(({ messageId }) => messageId)).toEqual(["101"]);
  });

  it("counts as changed when a lookup shows that words are gone of any version that was read", () => {
    const { watch, read, gap, stand, label, pass } = createSourceWatchWorld();
    read("101");
    read("101", { text: "meet at five, bring cake" });
    gap([GUILD], 1);
    pass(1);
    const [source] = watch.doubtful(label, directory);
    if (!source) throw new Error("it is doubtful");
    expect(watch.isUnchanged(source, stand("101", "meet at five, bring cake"))).toBe(true);
    expect(watch.isUnchanged(source, stand("101", "meet at five"))).toBe(false);
  });

  it("counts as changed when a lookup shows lost words, or an edit after its text was forgotten", () => {
    const { watch, read, gap, state, stand, label, pass } = createSourceWatchWorld();
    read("101");
    read("102", { text: null });
    read("103", { text: null });
    gap([GUILD], 1);
    pass(5 * MINUTE);
    const [told, silent, old] = watch.doubtful(label, directory);
    if (!told || !silent || !old) throw new Error("they are doubtful");
    const at = (ms: number) => new Date(START + ms).toISOString();
    expect(watch.isUnchanged(told, stand("101", "meet at six"))).toBe(false);
    expect(state()).toBe("changed");
    expect(watch.isUnchanged(silent, stand("102", "x", ANN, at(2 * MINUTE)))).toBe(false);
    expect(watch.isUnchanged(old, stand("103", "x", ANN, at(-2 * MINUTE)))).toBe(true);
    expect(watch.isUnchanged(old, stand("103", "x"))).toBe(true);
    // Discord's clock may be behind ours by a minute.
    expect(watch.isUnchanged(old, stand("103", "x", ANN, at(-MINUTE)))).toBe(true);
    expect(watch.isUnchanged(old, stand("103", "x", ANN, at(1 - MINUTE)))).toBe(false);
  });

  it("stays certain after any other event", () => {
    const { watch, read, state } = createSourceWatchWorld();
    read("101");
    watch.note({ type: "connection", state: "ready" });
    watch.note({ type: "channel", channelId: CHANNEL });
    expect(state()).toBe("standing");
  });
});

describe("a source whose author was erased", () => {
  it("has to be looked up again, and counts as changed by any edit, whatever it took away", () => {
    const { watch, read, edit, state, label, stand, pass } = createSourceWatchWorld();
    read("101");
    pass(1);
    edit("101", "meet at five, all of you");
    expect(state()).toBe("standing");
    watch.forgetWordsOf(TICKER.id);
    expect(state()).toBe("standing");
    watch.forgetWordsOf(ANN.id);
    expect(state()).toBe("changed");
    label.forgetWordsOf(ANN.id);
    expect(state()).toBe("changed");
    const other = read("102", {}, new Label());
    other.forgetWordsOf(ANN.id);
    expect(state(other)).toBe("uncertain");
    const [source] = watch.doubtful(other, directory);
    if (!source) throw new Error("nothing is doubtful");
    expect(watch.isUnchanged(source, stand("102", "meet at five"))).toBe(true);
    expect(watch.isUnchanged(source, stand("102", "meet at five", ANN, "2026-01-01T00:00:00.000Z"))).toBe(false);
  });
});

describe("a source whose author wants to be left out", () => {
  it("counts as deleted, as if it had never been written, until they are included again", () => {
    const { read, state, consent } = createSourceWatchWorld();
    read("101");
    consent.set("99", true);
    expect(state()).toBe("standing");
    consent.set(ANN.id, true);
    expect(state()).toBe("deleted");
    consent.set(ANN.id, false);
    expect(state()).toBe("standing");
  });

  it("is uncertain if its author is no longer known and somebody was left out since it was read", () => {
    const { read, state, consent, pass } = createSourceWatchWorld();
    read("101", { text: null });
    consent.set(ANN.id, false);
    expect(state()).toBe("standing");
    consent.set("99", true);
    expect(state()).toBe("uncertain");
    pass(1);
    consent.set("99", false);
    expect(state(read("102", { text: null }, new Label()))).toBe("standing");
  });
});
