import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ChoosePerson } from "../kit/choose-person.tsx";
import { choosePerson, chosenPerson, loadPeople, people } from "../kit/people.ts";
import { lose } from "../kit/session.ts";
import { texts } from "../kit/texts.ts";
import { CommunityChannels } from "./community-channels.tsx";
import { Composer } from "./community-composer.tsx";
import { CommunityForm } from "./community-form.tsx";
import { CommunitySteps } from "./community-steps.tsx";
import { CommunityTalk } from "./community-talk.tsx";
import { CommunityTour } from "./community-tour.tsx";
import { startWalk, type Walk } from "./community-walk.ts";

const words = texts.community;

export function CommunityPage() {
  const second = useSignal<string | null>(null);
  const id = chosenPerson()?.id ?? null;
  useEffect(() => void loadPeople().catch(lose), []);
  const isSplit = second.value !== null;
  return (
    <div class="community">
      <h1>{words.title}</h1>
      <div class="who">
        <ChoosePerson value={id} onChoose={choosePerson} />
        {id !== null && (
          <label class="check">
            <input
              type="checkbox"
              checked={isSplit}
              onChange={() => {
                second.value = isSplit ? null : (people.value?.find((person) => person.id !== id)?.id ?? null);
              }}
            />
            {words.sideBySide}
          </label>
        )}
        {isSplit && (
          <ChoosePerson
            label={words.other}
            value={second.value}
            onChoose={(chosen) => {
              second.value = chosen;
            }}
          />
        )}
      </div>
      {id === null ? (
        <p class="card">{words.choose}</p>
      ) : (
        <div class={isSplit ? "walks split" : "walks"}>
          <Walker key={`first-${id}`} id={id} hasTour={!isSplit} />
          {second.value !== null && <Walker key={`second-${second.value}`} id={second.value} hasTour={false} />}
        </div>
      )}
    </div>
  );
}

/** The community as one person sees it. */
function Walker({ id, hasTour }: { readonly id: string; readonly hasTour: boolean }) {
  const walk = useMemo(() => startWalk(id), [id]);
  useEffect(() => () => walk.close(), [walk]);
  const name = people.value?.find((person) => person.id === id)?.name ?? "";
  return (
    <>
      {hasTour && <CommunityTour walk={walk} />}
      <section class="walk" aria-label={words.as(name)}>
        <CommunityChannels walk={walk} />
        <Middle walk={walk} name={name} />
        <CommunitySteps walk={walk} isSplit={!hasTour} />
        {walk.form.value && <CommunityForm walk={walk} form={walk.form.value} />}
      </section>
    </>
  );
}

function Middle({ walk, name }: { readonly walk: Walk; readonly name: string }) {
  const replyTo = useSignal<{ id: string; author: string } | null>(null);
  const community = walk.community.value;
  if (!community) return <p class="empty">{walk.isStale.value ? texts.disconnected.title : texts.loading}</p>;
  const channel = community.channels.find((each) => each.id === walk.channelId.value);
  return (
    <div class="talk">
      <header>
        <h2>{channel ? titleOf(channel) : words.notVisible}</h2>
        <p class="muted">{channel?.topic ?? words.as(name)}</p>
      </header>
      <div aria-live="polite">
        {walk.isStale.value && <p class="banner">{words.stale}</p>}
        {walk.isSampled.value && <p class="banner">{words.sampled}</p>}
      </div>
      {channel ? (
        <>
          <CommunityTalk
            walk={walk}
            community={community}
            onReply={(message) => {
              replyTo.value = message;
            }}
          />
          <Composer key={channel.id} walk={walk} channel={channel} community={community} replyTo={replyTo} />
        </>
      ) : (
        <p class="empty">{words.notVisibleAbout}</p>
      )}
    </div>
  );
}

function titleOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return kind === "dm" ? name : `#${name}`;
}
