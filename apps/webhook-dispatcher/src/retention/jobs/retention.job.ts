import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { RetainDeliveries } from '../retain-deliveries.service';

const everyMs = 600_000;
const firstAfterMs = 30_000;

/** Looks after the partitions every ten minutes. */
@Injectable()
export class RetentionJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(
    private readonly retainDeliveries: RetainDeliveries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failed = (error: unknown) =>
      logger.warn({ event: 'retention-failed', err: error }, 'partitions are looked after again later');
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
      this.logger.info({ event: 'retention', count: dropped.length, batch: strays }, 'partitions looked after');
    // Old rows without a verdict: something is wrong that a person must look at.
    if (kept.length > 0)
      this.logger.error({ event: 'retention-kept', count: kept.length }, 'old partitions hold open deliveries');
  }
}
