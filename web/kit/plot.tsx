import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { texts } from "./texts.ts";

interface PlotProps {
  readonly title: string;
  /** How much time the plot covers at most. */
  readonly spanMs: number;
  /** Milliseconds since 1970. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

const HEIGHT = 140;
/** Right after a start there are few samples, which would be a speck at the edge of an hour. */
const MIN_SPAN_MS = 5 * 60_000;
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** One line over time. Its latest and largest values are also there as text. */
export function Plot({ title, spanMs, times, values }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const known = values.filter((value) => value !== null);
  const [latest, most] = [known.at(-1) ?? 0, known.reduce((a, b) => Math.max(a, b), 0)].map((value) =>
    number.format(value),
  ) as [string, string];

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const made = new uPlot(toOptions(element), [[], []], element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    // A canvas does not follow the theme by itself.
    const theme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => made.redraw();
    theme.addEventListener("change", redraw);
    return () => {
      theme.removeEventListener("change", redraw);
      observer.disconnect();
      made.destroy();
    };
  }, []);

  useEffect(() => {
    const made = plot.current;
    if (!made) return;
    made.setData([times.map((time) => time / 1_000), [...values]], false);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const from = Math.max(last - spanMs, Math.min(first, last - MIN_SPAN_MS));
    made.setScale("x", { min: from / 1_000, max: last / 1_000 });
  }, [times, values, spanMs]);

  return (
    <figure class="card plot">
      <figcaption>
        <span>{title}</span>
        <span class="muted">
          {known.length === 0 ? (
            texts.live.nothingYet
          ) : (
            <>
              <strong>{latest}</strong> {texts.live.latest}, {most} {texts.live.most}
            </>
          )}
        </span>
      </figcaption>
      <div
        ref={holder}
        role="img"
        aria-label={
          known.length === 0 ? `${title}: ${texts.live.nothingYet}` : texts.live.plotSummary(title, latest, most)
        }
      />
    </figure>
  );
}

/** Round steps of an axis of at most a day, in seconds. */
const STEPS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600];

function toOptions(element: HTMLElement): uPlot.Options {
  // A canvas cannot read variables of the style sheet, only what they come out as.
  const colour = (name: "color" | "borderTopColor" | "caretColor") => () => getComputedStyle(element)[name];
  const axis = {
    stroke: colour("caretColor"),
    grid: { stroke: colour("borderTopColor"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 28, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    series: [{}, { stroke: colour("color"), width: 2, points: { show: false } }],
    axes: [
      { ...axis, size: 28, incrs: STEPS, space: 70, values: (_plot, splits) => splits.map(toClock) },
      { ...axis, size: 52, space: 28, values: (_plot, splits) => splits.map((split) => compact.format(split)) },
    ],
  };
}

const compact = new Intl.NumberFormat(undefined, { notation: "compact" });

function toClock(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
