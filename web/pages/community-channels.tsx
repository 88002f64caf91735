import type { SeenChannel } from "../../src/transports/console/sandbox-community.ts";
import { texts } from "../kit/texts.ts";
import type { Walk } from "./community-walk.ts";

const words = texts.community;
const SIGNS: Readonly<Record<SeenChannel["kind"], string>> = {
  ...{
    category: "",
    text: "#",
    announcement: "📣",
    voice: "🔊",
    forum: "🗂",
    thread: "↳",
    private_thread: "🔒",
    dm: "💬",
  },
};
const byPosition = (one: SeenChannel, other: SeenChannel) => one.position - other.position;

/** Servers with their categories, channels, threads and posts, then direct messages. */
export function CommunityChannels({ walk }: { readonly walk: Walk }) {
  const channels = walk.community.value?.channels ?? [];
  const childrenOf = (id: string | null) => channels.filter(({ parentId }) => parentId === id).sort(byPosition);
  const known = new Set(channels.map(({ id }) => id));
  const servers = Map.groupBy(
    channels.filter(({ server }) => server !== null),
    ({ server }) => server ?? "",
  );
  const draw = (channel: SeenChannel) => {
    const threads = childrenOf(channel.id);
    const active = threads.filter(({ isArchived }) => !isArchived);
    const archived = threads.filter(({ isArchived }) => isArchived);
    return (
      <li key={channel.id}>
        <Place walk={walk} channel={channel} />
        {active.length > 0 && <ul>{active.map(draw)}</ul>}
        {archived.length > 0 && (
          <details>
            <summary class="muted">{words.archived(archived.length.toLocaleString())}</summary>
            <ul>{archived.map(draw)}</ul>
          </details>
        )}
      </li>
    );
  };
  const me = walk.community.value?.people.find(({ id }) => id === walk.personId)?.name ?? "";
  const dms = channels.filter(({ kind }) => kind === "dm");
  const bots = (walk.community.value?.people ?? []).filter(
    ({ isBot, name }) => isBot && name === texts.product && !dms.some((dm) => dm.name === name),
  );
  return (
    <nav class="places" aria-label={words.channelsOf(me)}>
      {[...servers].map(([server, all]) => (
        <div key={server}>
          <h2>{server}</h2>
          <ul>
            {all
              .filter(({ kind, parentId }) => kind !== "category" && (parentId === null || !known.has(parentId)))
              .sort(byPosition)
              .map(draw)}
          </ul>
          {all
            .filter(({ kind }) => kind === "category")
            .sort(byPosition)
            .map((category) => (
              <div key={category.id}>
                <h3>{category.name}</h3>
                <ul>{childrenOf(category.id).map(draw)}</ul>
              </div>
            ))}
        </div>
      ))}
      <h2>{words.dms}</h2>
      <ul>
        {dms.map(draw)}
        {bots.map(({ id, name }) => (
          <li key={id}>
            <button type="button" class="place" onClick={() => void openDm(walk, id)}>
              <span aria-hidden="true">＋</span> {words.writeTo(name)}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Their direct messages with a bot, which come into being when they are opened. */
export async function openDm(walk: Walk, botId: string): Promise<string | null> {
  const outcome = await walk.act({ kind: "dm", botId });
  if (outcome?.kind !== "done" || outcome.channelId === undefined) return null;
  await walk.open(outcome.channelId);
  return outcome.channelId;
}

function Place({ walk, channel }: { readonly walk: Walk; readonly channel: SeenChannel }) {
  const isUnread = walk.unread.value.has(channel.id);
  return (
    <button
      type="button"
      class={isUnread ? "place unread" : "place"}
      aria-current={walk.channelId.value === channel.id ? "true" : undefined}
      onClick={() => void walk.open(channel.id)}
    >
      <span aria-hidden="true">{SIGNS[channel.kind]}</span> <bdi>{channel.name}</bdi>
      {isUnread && <span class="hidden">{words.unread}</span>}
    </button>
  );
}
