/** One measurement: what was measured, how fast, and what to compare it with. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly note?: string;
}

export function printTable(title: string, rows: readonly Row[], print: (line: string) => void = console.log): void {
  const width = Math.max(...rows.map(({ what }) => what.length));
  const figures = Math.max(...rows.map(({ figure }) => figure.length));
  print(`\n${title}`);
  for (const { what, figure, note } of rows)
    print(`  ${what.padEnd(width)}  ${figure.padStart(figures)}  ${note ?? ""}`.trimEnd());
}

/** Such as "0 of 1,200 answers". */
export function formatRate(count: number, all: number, unit: string): string {
  return `${count.toLocaleString("en")} of ${all.toLocaleString("en")} ${unit}`;
}

export function perSecond(count: number, milliseconds: number): string {
  return `${Math.round(count / (milliseconds / 1000)).toLocaleString("en")}/s`;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
