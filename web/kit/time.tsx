const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** Such as "in 12 hours", with the exact time on hover. */
export function Time({ at }: { readonly at: number }) {
  const distance = at - Date.now();
  const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? ["second", 1_000];
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {relative.format(Math.round(distance / length), unit)}
    </time>
  );
}
