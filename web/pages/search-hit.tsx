import { useMemo } from "preact/hooks";
import { createRequest, type PersonApi } from "../kit/person-page.tsx";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";
import type { Found, Places } from "./search-data.ts";

const words = texts.search;

type FoundHit = Found["result"]["hits"][number];
type FoundMessage = FoundHit["message"];

interface HitProps {
  readonly hit: FoundHit;
  readonly me: PersonApi;
  readonly places: Places;
}

/** A message among the conversation around it. */
export function Hit({ hit: { message, channel, question, around }, me, places }: HitProps) {
  const beside = question ? [question, ...around] : around;
  const lines = [message, ...beside].sort((a, b) => Number(BigInt(a.message_id) - BigInt(b.message_id)));
  return (
    <li class="card hit">
      <h3>{channel.name === null ? words.directMessages : `#${channel.name}`}</h3>
      {lines.map((line) => (
        <div key={line.message_id} class={line === message ? "line found" : "line"}>
          <MessageLine message={line} places={places} isShort={line !== message} hasPlace={false} />
        </div>
      ))}
      <CouldTell messages={[message]} me={me} places={places} />
    </li>
  );
}

interface MessageLineProps {
  readonly message: FoundMessage;
  readonly places: Places;
  readonly isShort: boolean;
  readonly hasPlace?: boolean;
}

export function MessageLine({ message, places, isShort, hasPlace = true }: MessageLineProps) {
  const { author, ts, content, attachments, link, channel_id } = message;
  const place = places.channels.find((one) => one.channel_id === channel_id);
  return (
    <>
      <p class="byline">
        <strong dir="auto">{author.name}</strong>
        {hasPlace && <span class="muted">{place ? `#${place.name}` : words.unnamed}</span>}
        <span class="muted">
          <Time at={Date.parse(ts)} />
        </span>
        {(hasPlace || !isShort) && (
          <a href={link} target="_blank" rel="noreferrer" aria-label={words.openOf(author.name)}>
            {words.open}
          </a>
        )}
      </p>
      <p class={isShort ? "said short" : "said"} dir="auto">
        {content}
      </p>
      {attachments.map(({ id, filename, url }) => (
        <p key={id} class="muted">
          {words.file}{" "}
          {/^https?:/.test(url) ? (
            <a href={url} target="_blank" rel="noreferrer">
              {filename}
            </a>
          ) : (
            filename
          )}
        </p>
      ))}
    </>
  );
}

interface CouldTellProps {
  readonly messages: readonly Pick<FoundMessage, "channel_id" | "message_id">[];
  readonly me: PersonApi;
  readonly places: Places;
}

/** In which channels everybody may know these messages, as far as the person can read the channels. */
export function CouldTell({ messages, me, places }: CouldTellProps) {
  const asked = useMemo(createRequest<{ channels: { channel_id: string; could: boolean }[] }>, []);
  const json = { messages: messages.slice(0, 20).map(({ channel_id, message_id }) => ({ channel_id, message_id })) };
  const look = () => asked.run(async (init) => (await me["could-tell"].$post({ json }, init)).json());
  const namesOf = (could: boolean) =>
    asked.answer.value?.channels.flatMap((one) => {
      const known = places.channels.find(({ channel_id }) => channel_id === one.channel_id);
      return known && one.could === could ? [`#${known.name}`] : [];
    }) ?? [];
  const [yes, no] = [namesOf(true), namesOf(false)];
  return (
    <div class="telling" aria-live="polite">
      {asked.answer.value ? (
        <>
          <p>{yes.length > 0 ? words.couldTell : words.nowhere}</p>
          <Names names={yes} kind="yes" />
          {yes.length > 0 && no.length > 0 && (
            <>
              <p>{words.couldNotTell}</p>
              <Names names={no} kind="no" />
            </>
          )}
        </>
      ) : (
        <button type="button" class="quiet small" disabled={asked.isRunning.value} onClick={look}>
          {asked.isRunning.value ? words.telling : words.tell}
        </button>
      )}
      {asked.problem.value && <p class="banner">{asked.problem.value}</p>}
    </div>
  );
}

function Names({ names, kind }: { readonly names: readonly string[]; readonly kind: string }) {
  if (names.length === 0) return null;
  return (
    <ul class={`names ${kind}`}>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}
