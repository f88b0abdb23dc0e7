import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { HandOverNoticesService } from '../hand-over-notices.service';

const everyMs = 1_000;

/** Hands over what is due, once a second; one run at a time. */
@Injectable()
export class HandOverNoticesJob implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly notices: HandOverNoticesService,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.run().finally(() => (this.running = undefined));
    }, everyMs).unref();
    this.lifecycle.onDrain('change-notices', async () => {
      clearInterval(this.timer);
      await this.running;
    });
  }

  private async run(): Promise<void> {
    try {
      while ((await this.notices.handOver()) > 0 && !this.lifecycle.isDraining);
    } catch (error) {
      this.log.warn({ event: 'notices-not-handed-over', err: error }, 'change notices wait for webhook-dispatcher');
    }
  }
}
