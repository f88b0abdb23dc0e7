import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicJob } from '@paycode/service-runtime/timing';
import { AlertsService } from './alerts.service';

const everyMs = 30_000;
/** Where no e-mail can be sent, alerts wait for a day and say so this often. */
const afterFaultMs = 300_000;

/** Mails people what they want to be told of. */
@Injectable()
export class AlertsJob extends PeriodicJob {
  constructor(alerts: AlertsService, @Inject(LOGGER) log: Logger) {
    const failed = (err: unknown) => log.warn({ event: 'alerts-wait', err }, 'alerts by e-mail wait because of a fault');
    super(() => alerts.run(), { everyMs, firstAfterMs: everyMs, afterFaultMs, failed });
  }
}
