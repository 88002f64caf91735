import { describe, expect, it } from "vitest";
import { OPERATOR_GRANT, SCOPES } from "../../src/policy/grant.ts";
import { SessionLabel } from "../../src/sources/session-label.ts";
import { until } from "../support/edge.ts";
import { buttonId, buttonsOf, openHarbour } from "./open-harbour.ts";

describe("starting over, asked for in Discord", () => {
  it("is shown with the places that were read, and done by a press of the person's own", async () => {
    const { sandbox, sarah, gate, operations, said, id, review, settle } = await openHarbour();
    sandbox.as("mark").say("general", "the tide turns at four");
    await settle();
    const client = { name: "host", grant: { ...OPERATOR_GRANT, scopes: [...SCOPES] } };
    const request = { actor: sarah.id as never, isPrivate: true, asksFirst: true };
    const label = new SessionLabel();
    const operation = await operations.open(client, request, label);
    await gate.callTool({ name: "discord.channel.messages", args: { channel_id: id("general") }, operation });
    const asking = await operations.open(client, request, label.keepApart());
    await expect(gate.startOver(asking, label)).rejects.toMatchObject({
      code: "confirmation_needed",
      message: expect.stringContaining("by direct message"),
    });
    const { channelId } = sarah.dm("here?");
    const message = await until(() => said(channelId).find((one) => buttonsOf(one).length > 0), "nobody was asked");
    expect(message.content).not.toContain("general");
    const { last } = await review(message);
    expect(last.content).toContain(`<#${id("general")}>`);
    expect(last.content).toContain("still knows what it read");
    expect(label.hasStartedOver).toBe(false);
    const click = sarah.click(last, buttonId(last, "Start over"));
    await until(() => label.hasStartedOver, "nothing was started over");
    await until(() => message.content === "Reviewed.", "the button stayed");
    expect((await click.spoken).content).toBeTruthy();
    expect(label.sinceStart.integrity).toBe("trusted");
    expect(label.integrity).toBe("untrusted");
    await gate.startOver(asking, label);
  });
});
