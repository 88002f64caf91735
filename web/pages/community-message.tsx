import { useSignal } from "@preact/signals";
import { memo } from "preact/compat";
import type { SeenMessage, SeenPart } from "../../src/transports/console/sandbox-community.ts";
import { Markdown, type NameOf } from "../kit/markdown.tsx";
import { apiAs } from "../kit/people.ts";
import { lose } from "../kit/session.ts";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";
import type { Walk } from "./community-walk.ts";

const words = texts.community;
const EMOJI = ["👍", "❤️", "😄", "🎉", "👀"];

interface MessageProps {
  readonly message: SeenMessage;
  readonly walk: Walk;
  readonly nameOf: NameOf;
  readonly reply: { readonly current: (message: SeenMessage) => void };
}

export const CommunityMessage = memo(function CommunityMessage(props: MessageProps) {
  const { message, walk, nameOf } = props;
  const isEditing = useSignal(false);
  const { author, isBot, notice, replyTo, command, threadId } = message;
  if (notice !== null && notice !== "other")
    return (
      <p class="system muted">
        {words.notices[notice](author)} <Time at={message.at} />
      </p>
    );
  return (
    <article class={message.isEphemeral ? "message ephemeral" : "message"}>
      <span class="avatar" aria-hidden="true">
        {initialsOf(author)}
      </span>
      <div>
        {replyTo && (
          <p class="quoted muted">
            ↰ <bdi>{replyTo.author}</bdi>:{" "}
            <bdi>
              <Markdown text={replyTo.text} nameOf={nameOf} />
            </bdi>
          </p>
        )}
        {command && <p class="quoted muted">{words.used(command.person, command.name)}</p>}
        <p class="by">
          <strong>
            <bdi>{author}</bdi>
          </strong>{" "}
          {isBot && <span class="badge">{words.bot}</span>}{" "}
          <small class="muted">
            <Time at={message.at} /> {message.isEdited && words.edited}
          </small>
        </p>
        {isEditing.value ? (
          <EditBox
            message={message}
            walk={walk}
            onDone={() => {
              isEditing.value = false;
            }}
          />
        ) : (
          <div class="text">
            {message.isThinking && message.text === "" ? (
              <em>{words.thinking}</em>
            ) : (
              <Markdown text={message.text} nameOf={nameOf} />
            )}
          </div>
        )}
        {message.cards.map(({ kind, title, text }, index) => (
          <div key={index} class="embed">
            <strong>{[words.cards[kind], title].filter(Boolean).join(" ")}</strong>
            <div class="text">
              <Markdown text={text} nameOf={nameOf} />
            </div>
          </div>
        ))}
        {message.files.map(({ id, name, bytes }) => (
          <button key={id} type="button" class="quiet file" onClick={() => void save(walk, message, { id, name })}>
            📄 <bdi>{name}</bdi> <small class="muted">{words.bytes(bytes.toLocaleString())}</small>
          </button>
        ))}
        {message.rows.map((row, index) => (
          <div key={index} class="row">
            {row.map((part, at) => (
              <Part key={"id" in part ? part.id : at} part={part} message={message} walk={walk} nameOf={nameOf} />
            ))}
          </div>
        ))}
        {message.isEphemeral && <p class="muted">{words.ephemeral}</p>}
        {message.reactions.length > 0 && (
          <div class="row">
            {message.reactions.map(({ emoji, count, isMine }) => (
              <button
                key={emoji}
                type="button"
                class="quiet reaction"
                aria-pressed={isMine}
                aria-label={words.reaction(emoji, count.toLocaleString())}
                onClick={() => void walk.act({ kind: "react", ...addressOf(message), emoji, isRemoved: isMine })}
              >
                {emoji} {count.toLocaleString()}
              </button>
            ))}
          </div>
        )}
        {threadId !== null && nameOf("channel", threadId) !== null && (
          <button type="button" class="quiet" onClick={() => void walk.open(threadId)}>
            {words.toThread(nameOf("channel", threadId) ?? "")}
          </button>
        )}
      </div>
      <Actions
        {...props}
        onEdit={() => {
          isEditing.value = true;
        }}
      />
    </article>
  );
});

/** The list cuts off what hangs below its last message. */
const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: "nearest" });

/** The actions for a message, behind one button, so that a long talk stays light. */
function Actions({ message, walk, nameOf, reply, onEdit }: MessageProps & { onEdit(): void }) {
  const isOpen = useSignal(false);
  const close = (run: () => void) => () => {
    isOpen.value = false;
    run();
  };
  const act = (action: Parameters<Walk["act"]>[0]) => close(() => void walk.act(action));
  const at = addressOf(message);
  const isOwn = message.authorId === walk.personId;
  const commandAt = (botId: string, command: string) => ({
    kind: "menu" as const,
    channelId: at.channelId,
    botId,
    command,
  });
  return (
    <div class="actions">
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen.value}
        aria-label={words.actions(message.author)}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        ⋯
      </button>
      {isOpen.value && (
        <div class="row" ref={scrollIntoView}>
          {!message.isEphemeral && (
            <>
              <button type="button" class="quiet" onClick={close(() => reply.current(message))}>
                {words.reply}
              </button>
              {EMOJI.map((emoji) => (
                <button
                  key={emoji}
                  type="button"
                  class="quiet"
                  aria-label={words.react(emoji)}
                  onClick={act({ kind: "react", ...at, emoji, isRemoved: false })}
                >
                  {emoji}
                </button>
              ))}
              {message.threadId === null && (
                <button type="button" class="quiet" onClick={act({ kind: "thread", ...at, title: words.threadTitle })}>
                  {words.thread}
                </button>
              )}
            </>
          )}
          {isOwn && (
            <>
              <button type="button" class="quiet" onClick={close(onEdit)}>
                {words.edit}
              </button>
              <button type="button" class="quiet" onClick={act({ kind: "delete", ...at })}>
                {words.delete}
              </button>
            </>
          )}
          {walk.commands.value
            .filter(
              ({ kind }) => kind === "message" || (kind === "person" && nameOf("person", message.authorId) !== null),
            )
            .map(({ kind, name, botId }) => (
              <button
                key={name}
                type="button"
                class="quiet"
                onClick={act({
                  ...commandAt(botId, name),
                  target: kind === "message" ? { messageId: message.id } : { personId: message.authorId },
                })}
              >
                {name}
              </button>
            ))}
        </div>
      )}
    </div>
  );
}

function EditBox({ message, walk, onDone }: { readonly message: SeenMessage; readonly walk: Walk; onDone(): void }) {
  const text = useSignal(message.text);
  const save = async (event: Event) => {
    event.preventDefault();
    if (await walk.act({ kind: "edit", ...addressOf(message), text: text.value })) onDone();
  };
  return (
    <form onSubmit={save}>
      <textarea
        aria-label={words.edit}
        value={text.value}
        maxLength={2_000}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <div class="row">
        <button type="submit">{words.save}</button>
        <button type="button" class="quiet" onClick={onDone}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

interface PartProps extends Pick<MessageProps, "message" | "walk" | "nameOf"> {
  readonly part: SeenPart;
}

function Part({ part, message, walk, nameOf }: PartProps) {
  switch (part.kind) {
    case "text":
      return (
        <div class="text">
          <Markdown text={part.text} nameOf={nameOf} />
        </div>
      );
    case "link":
      return (
        <a href={part.url} target="_blank" rel="noreferrer noopener">
          {part.label}
        </a>
      );
    case "button":
      return (
        <button
          type="button"
          class="quiet"
          disabled={part.isDisabled}
          onClick={() => void walk.act({ kind: "press", ...addressOf(message), id: part.id })}
        >
          {part.label}
        </button>
      );
    case "menu":
      return (
        <select
          aria-label={part.label || words.menu}
          disabled={part.isDisabled}
          value=""
          onChange={({ currentTarget: { value } }) =>
            void walk.act({ kind: "press", ...addressOf(message), id: part.id, values: [value] })
          }
        >
          <option value="">{part.label || words.menu}</option>
          {part.choices.map(({ label, value }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      );
  }
}

const addressOf = ({ channelId, id }: SeenMessage) => ({ channelId, messageId: id });

/** Two letters of a name. */
function initialsOf(name: string): string {
  const parts = name.match(/[\p{L}\p{N}]+/gu) ?? ["?"];
  return parts
    .slice(0, 2)
    .map((part) => [...part][0])
    .join("")
    .toUpperCase();
}

async function save(
  walk: Walk,
  message: SeenMessage,
  file: { readonly id: string; readonly name: string },
): Promise<void> {
  try {
    const json = { ...addressOf(message), fileId: file.id };
    const url = URL.createObjectURL(await (await apiAs(walk.personId).community.file.$post({ json })).blob());
    const link = Object.assign(document.createElement("a"), { href: url, download: file.name });
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    lose(error);
  }
}
