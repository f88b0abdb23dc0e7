import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { EndpointPause, MerchantEndpoint } from '@paycode/dto';
import { ParseIdPipe } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';
import { PauseEndpoint } from '../pause-endpoint';
import { EndpointPauseBody, MerchantsBody } from './endpoint.dto';

type OperatorRequest = FastifyRequest & { subject?: string };

/** Endpoints of merchants, and what operators' commands do with pauses of deliveries to them. */
@Controller('internal/endpoints')
export class EndpointsController {
  constructor(private readonly endpoints: PauseEndpoint) {}

  /** Where the deliveries of these merchants go, and whether they are paused. */
  @Post()
  @HttpCode(200)
  of(@Body() { merchantIds }: MerchantsBody): Promise<MerchantEndpoint[]> {
    return this.endpoints.endpointsOf([...new Set(merchantIds)]);
  }

  /** Those in effect, then the latest others. */
  @Get('pauses')
  list(): Promise<EndpointPause[]> {
    return this.endpoints.list();
  }

  @Post('pauses')
  pause(@Body() body: EndpointPauseBody, @Req() request: OperatorRequest): Promise<EndpointPause> {
    return this.endpoints.pause(body, operatorOf(request));
  }

  /** Deliveries go on. */
  @Post('pauses/:pauseId/end')
  @HttpCode(200)
  resume(@Param('pauseId', ParseIdPipe) pauseId: number, @Req() request: OperatorRequest): Promise<EndpointPause> {
    return this.endpoints.resume(pauseId, operatorOf(request));
  }
}

function operatorOf({ subject }: OperatorRequest): string {
  return `operator ${subject ?? 'unknown'}`;
}
