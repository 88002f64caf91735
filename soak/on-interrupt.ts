/** Prints what has been found so far when somebody interrupts a soak, and ends it. Work that never pauses cannot be interrupted. */
export function onInterrupt(printTally: () => void): void {
  process.once("SIGINT", () => {
    console.log("\nInterrupted. Until then:");
    printTally();
    process.exit(130);
  });
}
