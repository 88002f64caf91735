import type { ChannelId, GuildId } from "../domain/ids.ts";
import { locateChannel, refuseGuild, refusePlace } from "../policy/apply-rules.ts";
import type { Operation } from "../policy/operation.ts";
import type { ToldSource } from "./call/audit-rows.ts";
import type { CallDeps } from "./call-deps.ts";

type ToldDeps = Pick<CallDeps, "discord" | "rules" | "idsOf" | "isLeftOut">;

/** Items that answers within an operation contained, as far as its actor may still know them. */
export function listTold(operation: Operation, { discord, rules, idsOf, isLeftOut }: ToldDeps): ToldSource[] {
  const { actor, client, label } = operation;
  const { directory } = discord;
  const access = { grant: client.grant, rules };
  const readsChannel = (id: ChannelId) =>
    directory.canRead(actor, id) === true && refusePlace(access, locateChannel(directory, id)) === null;
  const isIn = (id: GuildId) => directory.member(id, actor) !== undefined && refuseGuild(access, id) === null;
  return idsOf(operation).told.filter(({ type, id, scope }) => {
    if (scope.type === "guild") return isIn(scope.id as GuildId);
    if (scope.type === "channel" && !readsChannel(scope.id as ChannelId)) return false;
    if (type !== "discord_message") return true;
    const authorId = label.of("message").get(id)?.authorId;
    return authorId ? !isLeftOut(authorId) : false;
  });
}
