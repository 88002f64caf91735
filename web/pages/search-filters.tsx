import { texts } from "../kit/texts.ts";
import type { Places } from "./search-data.ts";

export interface Filters {
  readonly from?: string;
  readonly channel?: string;
  /** Not longer ago than this many milliseconds. */
  readonly since?: number;
  readonly hasLink?: true;
}

export const NO_FILTERS: Filters = {};

const words = texts.search;
const DAY_MS = 86_400_000;
const TIMES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, year: 365 * DAY_MS };

interface SearchFiltersProps {
  readonly places: Places;
  readonly filters: Filters;
  onChange(filters: Filters): void;
}

export function SearchFilters({ places, filters, onChange }: SearchFiltersProps) {
  const set = (name: keyof Filters, value: string | number | boolean) => {
    const { [name]: _, ...rest } = filters;
    onChange(value ? { ...rest, [name]: value } : rest);
  };
  const channels = places.channels.filter(({ isThread }) => !isThread);
  const threads = places.channels.filter(({ isThread }) => isThread);
  const toOption = ({ channel_id, name }: Places["channels"][number]) => (
    <option key={channel_id} value={channel_id}>
      #{name}
    </option>
  );
  return (
    <fieldset class="chips">
      <legend class="hidden">{words.filters}</legend>
      <label class={filters.from ? "chip on" : "chip"}>
        {words.person}
        <input
          list="people"
          placeholder={words.anybody}
          // A name that several people have is passed on as it is: the answer says who could be meant.
          onChange={(event) => {
            const typed = event.currentTarget.value.trim();
            const meant = places.people.filter(({ name }) => name === typed);
            set("from", (meant.length === 1 && meant[0]?.user_id) || typed);
          }}
        />
        <datalist id="people">
          {places.people.map(({ user_id, name }) => (
            <option key={user_id} value={name} />
          ))}
        </datalist>
      </label>
      <label class={filters.channel ? "chip on" : "chip"}>
        {words.channel}
        <select value={filters.channel ?? ""} onChange={(event) => set("channel", event.currentTarget.value)}>
          <option value="">{words.anywhere}</option>
          {channels.map(toOption)}
          {threads.length > 0 && <optgroup label={words.threads}>{threads.map(toOption)}</optgroup>}
        </select>
      </label>
      <label class={filters.since ? "chip on" : "chip"}>
        {words.time}
        <select
          value={String(filters.since ?? "")}
          onChange={(event) => set("since", Number(event.currentTarget.value))}
        >
          <option value="">{words.times.any}</option>
          {Object.entries(TIMES).map(([name, ms]) => (
            <option key={name} value={String(ms)}>
              {words.times[name as keyof typeof TIMES]}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class={filters.hasLink ? "chip on" : "chip"}
        aria-pressed={filters.hasLink === true}
        onClick={() => set("hasLink", !filters.hasLink)}
      >
        {words.hasLink}
      </button>
    </fieldset>
  );
}
