import { PaymentTracing } from './payment-tracing';

class NoTracing extends PaymentTracing {
  override readonly isOn = false;
  override begin(): undefined {
    return undefined;
  }
  override adopt(): void {}
  override start(): undefined {
    return undefined;
  }
  override traceparentOf(): undefined {
    return undefined;
  }
  override async stop(): Promise<void> {}
}

/** The default: traces nothing, stores nothing and loads nothing. */
export const noTracing: PaymentTracing = new NoTracing();
