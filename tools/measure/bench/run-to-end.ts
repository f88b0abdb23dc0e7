/** Runs a benchmark and ends the process, and with it everything it started, whatever is still open. */
export function runToEnd(main: () => Promise<void>): void {
  main().then(
    () => process.exit(),
    (error: NodeJS.ErrnoException) => {
      const isUsage = error.code?.startsWith('ERR_PARSE_ARGS');
      process.stderr.write(`${isUsage ? error.message : error.stack}\n`);
      process.exit(1);
    },
  );
}
