import { useSignal } from "@preact/signals";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { SeenCommunity, SeenMessage } from "../../src/transports/console/sandbox-community.ts";
import type { NameOf } from "../kit/markdown.tsx";
import { texts } from "../kit/texts.ts";
import { CommunityMessage } from "./community-message.tsx";
import type { Walk } from "./community-walk.ts";

const words = texts.community;
/** Nearer to the end than this, the list follows new messages. */
const NEAR_END_PX = 80;

export interface TalkProps {
  readonly walk: Walk;
  readonly community: SeenCommunity;
  onReply(message: SeenMessage): void;
}

/** The messages of a channel. Older ones are loaded when one scrolls to the start. */
export function CommunityTalk({ walk, community, onReply }: TalkProps) {
  const list = useRef<HTMLDivElement>(null);
  const last = useRef({ isAtEnd: true, height: 0, first: "" });
  const { chunks, isStart, isLoading } = walk.talk.value;
  const first = chunks[0]?.[0]?.id ?? "";
  const nameOf = useMemo<NameOf>(() => {
    const { people, roles, channels } = community;
    const names = new Map([...people, ...roles, ...channels].map(({ id, name }) => [id, name]));
    return (_kind, id) => names.get(id) ?? null;
  }, [community]);
  const reply = useRef(onReply);
  reply.current = onReply;

  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const before = last.current;
    const isPrepended = before.first !== "" && first !== before.first && !before.isAtEnd;
    if (isPrepended) element.scrollTop += element.scrollHeight - before.height;
    else if (before.isAtEnd) element.scrollTop = element.scrollHeight;
    last.current = { ...before, height: element.scrollHeight, first };
  }, [chunks]);
  useEffect(() => {
    last.current = { isAtEnd: true, height: 0, first: "" };
  }, [walk.channelId.value]);

  // A narrower list is a longer one: side by side, or on a phone that is turned.
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (last.current.isAtEnd) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const element = list.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    last.current = {
      ...last.current,
      isAtEnd: scrollHeight - scrollTop - clientHeight < NEAR_END_PX,
      height: scrollHeight,
    };
    if (scrollTop < clientHeight) void walk.loadOlder();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div class="messages" ref={list} onScroll={onScroll} tabIndex={0} role="log" aria-label={words.messages}>
        {isLoading && <p class="muted">{texts.loading}</p>}
        {isStart && <p class="muted">{chunks.length === 0 ? words.empty : words.start}</p>}
        {chunks.map((chunk) => (
          <Chunk key={chunk[0]?.id} chunk={chunk} walk={walk} nameOf={nameOf} reply={reply} />
        ))}
      </div>
      <p class="typing muted" aria-live="polite">
        {walk.typing.value !== null && words.typing(walk.typing.value)}
      </p>
      <p class="refusal" role="alert">
        {walk.refusal.value}
      </p>
    </>
  );
}

interface ChunkProps {
  readonly chunk: readonly SeenMessage[];
  readonly walk: Walk;
  readonly nameOf: NameOf;
  readonly reply: { readonly current: (message: SeenMessage) => void };
}

/** Messages that are far from what is shown are left out; their height stays. */
const Chunk = memo(function Chunk({ chunk, walk, nameOf, reply }: ChunkProps) {
  const holder = useRef<HTMLDivElement>(null);
  const height = useSignal<number | null>(null);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        height.value = entry?.isIntersecting ? null : element.offsetHeight;
      },
      { root: element.parentElement, rootMargin: "1500px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={holder} style={height.value === null ? {} : { height: `${height.value}px` }}>
      {height.value === null &&
        chunk.map((message) => (
          <CommunityMessage key={message.id} message={message} walk={walk} nameOf={nameOf} reply={reply} />
        ))}
    </div>
  );
});
