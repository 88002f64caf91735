/**
 * With `--speed=30` time passes thirty times as fast for the program, by the clock and by the monotonic one: what is kept for a quarter of an hour goes after
 * half a minute. Timers keep their pace. Processes given the same `--since` have the same time.
 */
const flag = (name: string) => process.argv.find((each) => each.startsWith(`--${name}=`))?.split("=")[1];
const realNow = Date.now;
const realMonotonic = performance.now.bind(performance);
export const speed = Number(flag("speed") ?? 1);
export const since = Number(flag("since") ?? realNow());

const now = () => Math.floor(since + (realNow() - since) * speed);

Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (date, given, target) => Reflect.construct(date, given.length > 0 ? given : [now()], target),
});
performance.now = () => realMonotonic() * speed;
