/** Runs a benchmark and ends the process, and with it everything it started, whatever is still open. */
export function runToEnd(main: () => Promise<void>): void {
  main().then(
    () => process.exit(),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
}
