import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { RetainDeliveries } from './retain-deliveries';

const everyMs = 600_000;
const firstAfterMs = 30_000;

/** Opens and drops partitions every ten minutes. */
@Injectable()
export class RetentionJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(
    private readonly retainDeliveries: RetainDeliveries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failed = (error: unknown) =>
      logger.warn({ event: 'retention-failed', err: error }, 'a retention run failed and will be repeated');
    this.task = new PeriodicTask(() => this.run(), { everyMs, firstAfterMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async run(): Promise<void> {
    const { hasOpened, dropped, kept, strays } = await this.retainDeliveries.run();
    if (hasOpened || dropped.length + strays > 0)
      this.logger.info({ event: 'retention', count: dropped.length, batch: strays }, 'retention ran');
    // Old rows without a verdict are an error that an operator must examine.
    if (kept.length > 0)
      this.logger.error({ event: 'retention-kept', count: kept.length }, 'old partitions hold open deliveries');
  }
}
