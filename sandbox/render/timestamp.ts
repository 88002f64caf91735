/** Discord writes times with microseconds and an offset rather than `Z`. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000+00:00");
}
