/** Discord's epoch: the first millisecond of 2015. */
const EPOCH = 1_420_070_400_000;

/** Creates ids as Discord does: milliseconds since 2015 in the upper bits, a counter below. Ids never repeat and increase with time. */
export function createMint(): (timestamp: number) => string {
  let lastTimestamp = -1;
  let counter = 0;
  const used = new Map<number, number>();
  return (timestamp) => {
    if (timestamp > lastTimestamp) {
      lastTimestamp = timestamp;
      counter = 0;
    } else if (timestamp === lastTimestamp) {
      counter += 1;
    } else {
      // For a time in the past: counts from the middle of the range, apart from ids created at that time itself.
      const again = (used.get(timestamp) ?? 0x7ff) + 1;
      used.set(timestamp, again);
      return toSnowflake(timestamp, again);
    }
    return toSnowflake(timestamp, counter);
  };
}

function toSnowflake(timestamp: number, counter: number): string {
  return ((BigInt(timestamp - EPOCH) << 22n) | BigInt(counter & 0x3fffff)).toString();
}

export function snowflakeTime(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

/** Order of ids as numbers: the longer one is the larger one. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function isSnowflake(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) <= 0xffff_ffff_ffff_ffffn;
}
