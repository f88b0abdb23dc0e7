import type { AuditOptions } from './audit-options.ts';
import { readReceiverLog } from './receiver-log.ts';
import { type AuditReport, runAudit } from './run-audit.ts';
import { openDispatcher, openScheduler, openSimulator } from './sources.ts';

/** Opens the databases, audits, closes them. */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const receiver = options.receiverLog ? await readReceiverLog(options.receiverLog) : undefined;
  const dispatcher = openDispatcher(options.dispatcherUrl);
  const scheduler = openScheduler(options.schedulerUrl);
  const simulator = options.simulatorUrl ? openSimulator(options.simulatorUrl) : undefined;
  try {
    return await runAudit(
      { dispatcher, scheduler, simulator, receiver },
      {
        graceS: options.graceS,
        attemptsMax: options.attemptsMax,
        hasSimulator: simulator !== undefined,
        hasReceiverLog: receiver !== undefined,
      },
    );
  } finally {
    await Promise.all([dispatcher.close(), scheduler.close(), simulator?.close()]);
  }
}
