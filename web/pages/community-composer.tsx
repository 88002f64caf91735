import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type {
  SeenChannel,
  SeenCommand,
  SeenCommunity,
  SeenOption,
} from "../../src/transports/console/sandbox-community.ts";
import { texts } from "../kit/texts.ts";
import type { Walk } from "./community-walk.ts";

const words = texts.community;
const MAX_OFFERED = 8;

interface ComposerProps {
  readonly walk: Walk;
  readonly channel: SeenChannel;
  readonly community: SeenCommunity;
  readonly replyTo: Signal<{ readonly id: string; readonly author: string } | null>;
}

/** The message box. A slash lists the commands, an @ the people. */
export function Composer({ walk, channel, community, replyTo }: ComposerProps) {
  const text = useSignal("");
  const title = useSignal("");
  const command = useSignal<SeenCommand | null>(null);
  /** Names that were chosen from the list, which are sent as mentions. */
  const mentioned = useRef(new Map<string, string>());
  const box = useRef<HTMLTextAreaElement>(null);
  const isForum = channel.kind === "forum";

  if (command.value)
    return (
      <CommandForm
        walk={walk}
        channel={channel}
        community={community}
        command={command.value}
        onDone={() => {
          command.value = null;
          text.value = "";
        }}
      />
    );
  if (!channel.maySpeak && walk.commands.value.length === 0) return <p class="composer muted">{words.maySpeakNot}</p>;

  const slash = /^\/(.*)$/.exec(text.value)?.[1];
  const at = /(?:^|\s)@([^@\n]*)$/.exec(text.value)?.[1];
  const commands = walk.commands.value.filter(({ kind, name }) => kind === "slash" && name.startsWith(slash ?? "\n"));
  const people =
    at === undefined || mentioned.current.has(at)
      ? []
      : community.people.filter(({ name }) => name.toLowerCase().startsWith(at.toLowerCase())).slice(0, MAX_OFFERED);

  const send = async () => {
    const written = [...mentioned.current].reduce(
      (all, [name, id]) => all.replaceAll(`@${name}`, `<@${id}>`),
      text.value,
    );
    if (written.trim() === "") return;
    const original = replyTo.value ? { replyTo: replyTo.value.id } : {};
    const done = await walk.act(
      isForum
        ? { kind: "post", channelId: channel.id, title: title.value, text: written }
        : { kind: "say", channelId: channel.id, text: written, ...original },
    );
    if (!done) return;
    mentioned.current.clear();
    text.value = "";
    title.value = "";
    replyTo.value = null;
  };
  const mention = (id: string, name: string) => {
    mentioned.current.set(name, id);
    text.value = `${text.value.slice(0, text.value.length - (at?.length ?? 0))}${name} `;
    box.current?.focus();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {replyTo.value && (
        <p class="muted">
          {words.replyingTo(replyTo.value.author)}{" "}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              replyTo.value = null;
            }}
          >
            {words.cancel}
          </button>
        </p>
      )}
      {(commands.length > 0 || people.length > 0) && (
        <ul class="offers" aria-label={slash === undefined ? words.peopleList : words.commandList}>
          {commands.map((each) => (
            <li key={each.name}>
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  command.value = each;
                }}
              >
                <strong>/{each.name}</strong> <span class="muted">{each.about}</span>
              </button>
            </li>
          ))}
          {people.map(({ id, name }) => (
            <li key={id}>
              <button type="button" class="quiet" onClick={() => mention(id, name)}>
                @{name}
              </button>
            </li>
          ))}
        </ul>
      )}
      {isForum && (
        <input
          aria-label={words.postTitle}
          placeholder={words.postTitle}
          required
          maxLength={100}
          value={title.value}
          onInput={(event) => {
            title.value = event.currentTarget.value;
          }}
        />
      )}
      <div class="row">
        <textarea
          ref={box}
          rows={1}
          aria-label={words.write(channel.name)}
          placeholder={words.write(channel.name)}
          maxLength={2_000}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            const [first] = commands;
            const [person] = people;
            if (first) command.value = first;
            else if (person && at) mention(person.id, person.name);
            else void send();
          }}
        />
        <button type="submit">{words.send}</button>
      </div>
    </form>
  );
}

interface CommandFormProps extends Pick<ComposerProps, "walk" | "channel" | "community"> {
  readonly command: SeenCommand;
  onDone(): void;
}

function CommandForm({ walk, channel, community, command, onDone }: CommandFormProps) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const suggested = useSignal<Readonly<Record<string, readonly { label: string; value: string }[]>>>({});
  const options = () =>
    Object.fromEntries(
      command.options.flatMap((option) => {
        const value = values.value[option.name] ?? "";
        return value === "" ? [] : [[option.name, toValue(option, value)]];
      }),
    );
  const base = { channelId: channel.id, botId: command.botId, command: command.name };
  const type = async (option: SeenOption, value: string) => {
    values.value = { ...values.value, [option.name]: value };
    if (!option.suggests) return;
    const outcome = await walk.act({ kind: "suggest", ...base, options: options(), focused: option.name });
    if (outcome?.kind === "choices") suggested.value = { ...suggested.value, [option.name]: outcome.choices };
  };
  return (
    <form
      class="composer card"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await walk.act({ kind: "run", ...base, options: options() })) onDone();
      }}
    >
      <p>
        <strong>/{command.name}</strong> <span class="muted">{command.about}</span>
      </p>
      {command.options
        .filter(({ kind }) => kind !== "file")
        .map((option) => (
          <div class="field" key={option.name}>
            {option.name} <span class="muted">{option.about}</span>
            <OptionInput
              option={option}
              value={values.value[option.name] ?? ""}
              choices={suggested.value[option.name] ?? listChoices(option, community)}
              onType={(value) => void type(option, value)}
            />
          </div>
        ))}
      <div class="row">
        {/* biome-ignore lint/a11y/noAutofocus: the form takes the place of the box that was being typed in */}
        <button type="submit" autoFocus={command.options.length === 0}>
          {words.run}
        </button>
        <button type="button" class="quiet" onClick={onDone}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

interface OptionInputProps {
  readonly option: SeenOption;
  readonly value: string;
  readonly choices: readonly { readonly label: string; readonly value: string }[];
  onType(value: string): void;
}

function OptionInput({ option, value, choices, onType }: OptionInputProps) {
  const list = `suggestions-${option.name}`;
  if (choices.length > 0 && !option.suggests)
    return (
      <select
        aria-label={option.name}
        required={option.isRequired}
        value={value}
        onChange={(event) => onType(event.currentTarget.value)}
      >
        <option value="">{words.nothing}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <input
        aria-label={option.name}
        type={option.kind === "number" ? "number" : "text"}
        required={option.isRequired}
        value={value}
        list={option.suggests ? list : undefined}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      {option.suggests && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

function listChoices({ kind, choices }: SeenOption, { people, roles, channels }: SeenCommunity) {
  const named = { person: people, role: roles, channel: channels.filter((channel) => channel.kind !== "category") };
  if (kind === "boolean") return (["true", "false"] as const).map((value) => ({ label: words.booleans[value], value }));
  if (kind === "person" || kind === "role" || kind === "channel")
    return named[kind].map(({ id, name }) => ({ label: name, value: id }));
  return choices;
}

function toValue({ kind }: SeenOption, value: string): string | number | boolean {
  if (kind === "number") return Number(value);
  return kind === "boolean" ? value === "true" : value;
}
