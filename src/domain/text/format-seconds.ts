/** "1 second", "30 seconds". */
export function inSeconds(count: number): string {
  return `${count} ${count === 1 ? "second" : "seconds"}`;
}
