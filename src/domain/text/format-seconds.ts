/** "1 second", "30 seconds". */
export function formatSeconds(count: number): string {
  return `${count} ${count === 1 ? "second" : "seconds"}`;
}
