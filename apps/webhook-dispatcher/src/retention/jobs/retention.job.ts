import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { RetainDeliveries } from '../retain-deliveries.service';

const everyMs = 600_000;
const firstAfterMs = 30_000;

/** Looks after the partitions every ten minutes. */
@Injectable()
export class RetentionJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly retainDeliveries: RetainDeliveries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    for (let waitMs = firstAfterMs; await this.passed(waitMs); waitMs = everyMs) await this.attempt();
  }

  private async attempt(): Promise<void> {
    try {
      const { hasOpened, dropped, kept, strays } = await this.retainDeliveries.run();
      if (hasOpened || dropped.length + strays > 0)
        this.logger.info({ event: 'retention', count: dropped.length, batch: strays }, 'partitions looked after');
      // Old rows without a verdict: something is wrong that a person must look at.
      if (kept.length > 0)
        this.logger.error({ event: 'retention-kept', count: kept.length }, 'old partitions hold open deliveries');
    } catch (error) {
      this.logger.warn({ event: 'retention-failed', err: error }, 'partitions are looked after again later');
    }
  }

  /** False once the service stops. */
  private async passed(waitMs: number): Promise<boolean> {
    try {
      await pause(waitMs, undefined, { signal: this.stopping.signal });
      return true;
    } catch (error) {
      if ((error as { name?: string }).name !== 'AbortError') throw error;
      return false;
    }
  }
}
