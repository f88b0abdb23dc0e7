import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { AlertsService } from './alerts.service';

const everyMs = 30_000;
/** Where no e-mail can be sent, alerts wait for a day and say so this often. */
const afterFaultMs = 300_000;

/** Mails people what they want to be told of. */
@Injectable()
export class AlertsJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(alerts: AlertsService, @Inject(LOGGER) log: Logger) {
    const failed = (err: unknown) => log.warn({ event: 'alerts-wait', err }, 'alerts by e-mail wait because of a fault');
    this.task = new PeriodicTask(() => alerts.run(), { everyMs, firstAfterMs: everyMs, afterFaultMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
