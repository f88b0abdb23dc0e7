import { Controller, Get, Res } from '@nestjs/common';
import { metricsContentType, scrape } from '../metrics/collectors';
import type { FastifyReply } from 'fastify';
import { type HealthCheck, Lifecycle } from './readiness';

/** Probes and metrics of the internal listener. They carry no secret and need no token. */
@Controller()
export class HealthController {
  constructor(private readonly lifecycle: Lifecycle) {}

  @Get('health/live')
  live(@Res() reply: FastifyReply): Promise<void> {
    return this.answer('live', reply);
  }

  @Get('health/ready')
  ready(@Res() reply: FastifyReply): Promise<void> {
    return this.answer('ready', reply);
  }

  @Get('metrics')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    void reply.type(metricsContentType).send(await scrape());
  }

  private async answer(kind: HealthCheck['kind'], reply: FastifyReply): Promise<void> {
    const report = await this.lifecycle.report(kind);
    void reply.status(report.status === 'ok' ? 200 : 503).send(report);
  }
}
