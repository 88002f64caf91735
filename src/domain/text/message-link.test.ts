import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId } from "../ids.ts";
import { isMessageLink, MESSAGE_LINK, toMessageLink } from "./message-link.ts";

const WEB = "https://chat.example/app";
const MESSAGE = { guildId: "1" as GuildId, channelId: "2" as ChannelId, messageId: "3" as MessageId };

describe("a link to a message", () => {
  it("leads to Discord unless another web address is set", () => {
    expect(toMessageLink(MESSAGE)).toBe("https://discord.com/channels/1/2/3");
    expect(toMessageLink({ ...MESSAGE, guildId: null }, WEB)).toBe("https://chat.example/app/channels/@me/2/3");
    expect(toMessageLink(MESSAGE, `${WEB}/`)).toBe("https://chat.example/app/channels/1/2/3");
  });

  it("is recognised at the set address and at Discord's own, and nowhere else", () => {
    expect(isMessageLink(toMessageLink(MESSAGE, WEB), `${WEB}/`)).toBe(true);
    expect(isMessageLink("https://canary.discord.com/channels/1/2/3", WEB)).toBe(true);
    expect(isMessageLink(toMessageLink(MESSAGE, WEB))).toBe(false);
    for (const link of [
      "https://chat.example/channels/1/2/3",
      "https://chat.example.evil.example/app/channels/1/2/3",
      "https://chat.example/app/channels/1/2/3?x=1",
      "https://chat.example/app/channels/1/2/three",
      "/channels/1/2/3",
    ])
      expect(isMessageLink(link, WEB)).toBe(false);
  });

  it("is found in a question at any address, with a path or without", () => {
    for (const link of [
      "https://discord.com/channels/1/2/3",
      `${WEB}/channels/@me/2/3`,
      "http://127.0.0.1:80/channels/1/2/3",
    ])
      expect(MESSAGE_LINK.exec(`what about (${link})?`)?.[0]).toBe(link);
    expect(MESSAGE_LINK.test("https://chat.example/channels/1")).toBe(false);
  });
});

describe("isMessageLink", () => {
  it("accepts links to messages, and nothing that could carry more than ids", () => {
    for (const host of ["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"]) {
      expect(isMessageLink(`https://${host}/channels/1/2/3`)).toBe(true);
      expect(isMessageLink(`https://${host}/channels/@me/2/3`)).toBe(true);
    }
    for (const link of [
      "https://discord.com/channels/1/2/3?x=1",
      "https://discord.com/channels/1/2/3#x",
      "https://discord.com/channels/1/2/3/",
      "https://discord.com.evil.example/channels/1/2/3",
      "https://evil.example/https://discord.com/channels/1/2/3",
      "https://x@discord.com/channels/1/2/3",
      "https://discord.com/channels/1/2/three",
      "http://discord.com/channels/1/2/3",
      "https://discord.com/channels/1/2/3\n",
    ])
      expect(isMessageLink(link), link).toBe(false);
  });
});
