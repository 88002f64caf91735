import { describe, expect, it } from "vitest";
import { listAudit } from "../../../test/support/audit.ts";
import type { Channel } from "../../domain/guild.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Decision, DecisionInput } from "../../policy/decide.ts";
import type { Operation } from "../../policy/operation.ts";
import { Label } from "../../sources/label.ts";
import { createOperationIds } from "./audit-rows.ts";
import { CallRecord } from "./call-record.ts";

const GENERAL = { id: "7", name: "general", topic: null, thread: null } as Channel;
const TO_READ = { effect: "read", roles: new Set(["1"]) } as unknown as DecisionInput;
const ALLOWED: Decision = { allowed: true, failed: null, reason: "all_checks_passed" };
const AHOY = { channel_id: "7", content: "ahoy", edited_ts: null, author: { id: "2", bot: true }, attachments: [] };
const message = (id: string) => ({ ...AHOY, message_id: id }) as unknown as Message;

/** Calls of one operation, and everything that they noted. */
function arrive({ confined = false } = {}) {
  const audit = listAudit();
  const operation = {
    ...{ id: "one", nonce: "n", label: new Label(), client: { name: "brain", grant: { confined } } },
  } as unknown as Operation;
  const idsOf = createOperationIds({ botId: "1", botName: "Bot" } as never);
  const deps = { audit, clock: { now: () => 1_000 }, ids: () => idsOf(operation) };
  const call = (tool = "search_messages") => new CallRecord({ operation, tool }, deps);
  const decide = (record: CallRecord) => record.decided("7" as ChannelId, TO_READ, ALLOWED);
  const noted = () => audit.entries.map(({ row }) => ("id" in row ? row.id : row.operation_id));
  return { call, decide, noted };
}

describe("the reads of a call", () => {
  it("are noted together when the call ends, each decision and source once in an operation", () => {
    const { call, decide, noted } = arrive();
    for (const messages of [[message("1")], [message("1"), message("2")]]) {
      const record = call();
      record.read(GENERAL, messages, decide(record));
      if (messages.length === 1) expect(noted()).toEqual([]);
      record.commit();
    }
    call().commit();
    expect(noted()).toEqual(["d1", "discord_message 7/1", "discord_message 7/2"]);
  });

  it("of a confined client are noted as soon as they are allowed, because progress may be told before the call ends", () => {
    const { call, decide, noted } = arrive({ confined: true });
    const record = call();
    decide(record);
    expect(noted()).toEqual(["d1"]);
    record.commit();
    expect(noted()).toEqual(["d1"]);
  });

  it("are noted by their decision even where nothing was found", () => {
    const { call, decide, noted } = arrive();
    const record = call();
    decide(record);
    record.forget();
    record.commit();
    expect(noted()).toEqual(["d1"]);
  });
});
