import type { InferResponseType } from "hono/client";
import { useEffect, useMemo } from "preact/hooks";
import { apiAs } from "../kit/people.ts";
import { createRequest } from "../kit/person-page.tsx";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";
import type { Walk } from "./community-walk.ts";

type Api = ReturnType<typeof apiAs>["community"];
type Answer = InferResponseType<Api["last-answer"]["$post"]>;

const words = texts.community.steps;
const WIDE_PX = 1_200;
const format = (value: number) => value.toLocaleString();

/** How the agent came to the answer to this person's last question in the channel: what it searched, read and could not use, and what that took. */
export function CommunitySteps({ walk, isSplit }: { readonly walk: Walk; readonly isSplit: boolean }) {
  const asked = useMemo(createRequest<Answer>, [walk]);
  const channelId = walk.channelId.value;
  const said = walk.talk.value.chunks.flat().findLast(({ isBot, author }) => isBot && author === texts.product);
  useEffect(() => {
    if (channelId === null) return;
    const json = { channelId };
    void asked.run(async (init) => (await apiAs(walk.personId).community["last-answer"].$post({ json }, init)).json());
  }, [channelId, said]);
  return (
    <details class="steps" open={!isSplit && innerWidth >= WIDE_PX}>
      <summary>{words.title}</summary>
      {asked.problem.value && <p class="banner">{asked.problem.value}</p>}
      {asked.answer.value?.trace ? (
        <Steps trace={asked.answer.value.trace} walk={walk} />
      ) : (
        <p class="muted">{asked.isRunning.value ? texts.loading : words.none}</p>
      )}
    </details>
  );
}

interface StepsProps {
  readonly trace: NonNullable<Answer["trace"]>;
  readonly walk: Walk;
}

function Steps({ trace, walk }: StepsProps) {
  const { askedAt, milliseconds, calls, searched, read, refused, withheld } = trace;
  const channels = new Map(walk.community.value?.channels.map(({ id, name, kind }) => [id, { name, kind }]));
  const nameOf = (id: string) => {
    const channel = channels.get(id);
    if (!channel) return words.unseen;
    return channel.kind === "dm" ? channel.name : `#${channel.name}`;
  };
  const tokens = read.reduce((sum, each) => sum + each.tokens, 0);
  const reasons = Map.groupBy(withheld, ({ reason }) => reason);
  return (
    <>
      <ol>
        <li>
          {words.asked} <Time at={askedAt} />
        </li>
        {calls.map(({ tool, outcome }, index) => (
          <li key={index}>
            {words.called} <code>{tool}</code> {outcome !== "ok" && <span class="badge">{outcome}</span>}
          </li>
        ))}
        {searched > 0 && <li>{words.searched(format(searched))}</li>}
        {read.map(({ kind, channel_id, count }) => (
          <li key={`${kind} ${channel_id}`}>
            {words.read[kind](format(count))} {channel_id !== null && <bdi>{nameOf(channel_id)}</bdi>}
          </li>
        ))}
        {refused.map(({ tool, reason }, index) => (
          <li key={`refused ${index}`}>
            {words.refused} <code>{tool}</code> <code>{reason}</code>
          </li>
        ))}
        <li>{milliseconds === null ? words.running : words.took(format(milliseconds), format(tokens))}</li>
      </ol>
      <h3>{words.withheld}</h3>
      {reasons.size === 0 && <p class="muted">{words.nothingWithheld}</p>}
      <dl>
        {[...reasons].map(([reason, all]) => (
          <div key={reason}>
            <dt>
              {texts.search.reasons[reason]} <code>{reason}</code>
            </dt>
            <dd>
              {all.map(({ channel_id, name }) => (
                <bdi key={channel_id}>#{name}</bdi>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
