/**
 * `npm run paycode -- audit`: checks that every payment is settled or reversed once, in agreement with its verdict. Exit code 0: yes, 1: no, 2:
 * the audit failed.
 */
import { readOptions, UsageError } from './audit/audit-options.ts';
import { audit, type AuditReport } from './audit/audit.ts';

const linesMax = 50;

function print(report: AuditReport): void {
  for (const { transactionId, rule, message } of report.violations.slice(0, linesMax))
    process.stdout.write(`VIOLATION ${rule} transaction ${transactionId}: ${message}\n`);
  const hidden = report.violationCount - Math.min(linesMax, report.violations.length);
  if (hidden > 0) process.stdout.write(`... and ${hidden} more\n`);
  const { transactions, settled, reversed, open, duplicates, violationCount } = report;
  process.stdout.write(
    `${transactions} transactions: ${settled} settled, ${reversed} reversed, ${open} open, ${duplicates} delivered more than once; ${violationCount} violations\n`,
  );
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  const report = await audit(options);
  if (options.isJson) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else print(report);
  process.exitCode = report.violationCount === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof UsageError ? error.message : `The audit could not be done: ${(error as Error).message}`}\n`,
  );
  process.exitCode = 2;
});
