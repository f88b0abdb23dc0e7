import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { type ConnectionRefusal, GatewayMetrics } from '../../telemetry';

const sharedAddress =
  'nearly all clients connect from one private address: limits, source rules and the audit log use the address of a proxy; ' +
  'let it speak the PROXY protocol and name it in PROXY_PROTOCOL_FROM, or name it in TRUSTED_PROXIES if it terminates TLS';

/** Where the gate before TLS reports to: metrics and log. */
@Injectable()
export class GateReports {
  constructor(
    private readonly metrics: GatewayMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onRefused(reason: ConnectionRefusal): void {
    this.metrics.connectionRefused(reason);
  }

  onSharedAddress(address: string): void {
    this.logger.warn({ event: 'clients-share-one-address', address }, sharedAddress);
  }
}
