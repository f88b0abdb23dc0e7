import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Lifecycle } from '@paycode/service-runtime';
import { RelayEndpoints } from '../../relay';
import { PlainListener } from './plain-listener';
import { PublicListener } from './public-listener';

/** Opens the outer listeners last and closes them first: readiness goes false, running requests end, then the rest stops. */
@Injectable()
export class ListenersLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly publicListener: PublicListener,
    private readonly plainListener: PlainListener,
    private readonly lifecycle: Lifecycle,
    @Inject(RelayEndpoints) private readonly relay: RelayEndpoints | null,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.lifecycle.addCheck({
      name: 'public-listener',
      kind: 'ready',
      check: () => (this.publicListener.port === 0 ? 'not listening' : undefined),
    });
    this.lifecycle.onDrain('public-listener', () => this.close());
    await this.publicListener.open();
    await this.plainListener.open();
  }

  /** Closes the listeners after a failed start, in which nothing drains. */
  onModuleDestroy(): Promise<void> {
    return this.close();
  }

  private async close(): Promise<void> {
    // A listener's connection would hold the stop up.
    this.relay?.close();
    await Promise.all([this.publicListener.close(), this.plainListener.close()]);
  }
}
