import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { HandOverNoticesService } from '../hand-over-notices.service';

/** A mail about a change waits for nobody's decision, and may leave some seconds later. */
const everyMs = 5_000;

/** Hands over due notices. */
@Injectable()
export class HandOverNoticesJob implements OnApplicationBootstrap {
  private readonly task: PeriodicTask;

  constructor(
    private readonly notices: HandOverNoticesService,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) log: Logger,
  ) {
    const failed = (error: unknown) =>
      log.warn({ event: 'notices-not-handed-over', err: error }, 'change notices wait for recipient-messages');
    this.task = new PeriodicTask(signal => this.run(signal), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
    this.lifecycle.onDrain('change-notices', () => this.task.stop());
  }

  private async run(signal: AbortSignal): Promise<void> {
    while ((await this.notices.handOver()) > 0 && !signal.aborted);
  }
}
