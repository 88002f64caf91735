/** Prints what has been found so far when somebody interrupts a soak, and ends it. Ctrl-C arrives twice: from the terminal and from `npm run soak`. */
export function onInterrupt(printTally: () => void): void {
  process.on("SIGINT", () => {
    console.log("\nInterrupted. Until then:");
    printTally();
    process.exit(130);
  });
}
