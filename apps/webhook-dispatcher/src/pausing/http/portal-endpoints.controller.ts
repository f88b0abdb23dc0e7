import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { EndpointPause, PortalAnswer } from '@paycode/dto';
import { answered } from '@paycode/service-runtime';
import { PauseEndpoint } from '../pause-endpoint';
import { PortalPauseBody, PortalResumeBody } from './endpoint.dto';

/** What people on call do in the portal, which has checked who they are and names them. */
@Controller('internal/portal/endpoints')
export class PortalEndpointsController {
  constructor(private readonly endpoints: PauseEndpoint) {}

  @Post('pause')
  @HttpCode(200)
  pause(@Body() { actor, ...request }: PortalPauseBody): Promise<PortalAnswer<EndpointPause>> {
    return answered(() => this.endpoints.pause(request, `portal ${actor}`));
  }

  @Post('resume')
  @HttpCode(200)
  resume(@Body() { pauseId, actor }: PortalResumeBody): Promise<PortalAnswer<EndpointPause>> {
    return answered(() => this.endpoints.resume(pauseId, `portal ${actor}`));
  }
}
