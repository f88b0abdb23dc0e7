import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { type ActingPerson, OfPerson } from '@paycode/access';
import {
  type EndingCertificate,
  type EndpointPause,
  type EndpointPauseRequest,
  IsId,
  type MerchantEndpoint,
  type PortalAnswer,
  type PortalResumeRequest,
} from '@paycode/dto';
import { answered, ParseIdPipe } from '@paycode/service-runtime';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Length, Matches, Min } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { EndingCertificates } from '../posting/ending-certificates';
import { PauseEndpoint } from './pause-endpoint';

const merchantsMax = 500;

/** Body of POST /internal/endpoints. */
export class MerchantsBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(merchantsMax)
  @IsId({ each: true })
  merchantIds!: number[];
}

/** Body of POST /internal/endpoints/pauses and /internal/portal/endpoints/pause. */
export class EndpointPauseBody implements EndpointPauseRequest {
  @IsId()
  merchantId!: number;

  @IsInt()
  @Min(1)
  durationS!: number;

  @IsString()
  @Length(3, 200)
  @Matches(/^[^\p{Cc}]*\p{L}[^\p{Cc}]*$/u, { message: 'reason must be one line of words' })
  reason!: string;
}

/** Body of POST /internal/portal/endpoints/resume. */
export class PortalResumeBody implements PortalResumeRequest {
  @IsId()
  pauseId!: number;
}

type OperatorRequest = FastifyRequest & { subject?: string };

/** Endpoints of merchants, and what operators' commands do with pauses of deliveries to them. */
@Controller('internal/endpoints')
export class EndpointsController {
  constructor(
    private readonly endpoints: PauseEndpoint,
    private readonly certificates: EndingCertificates,
  ) {}

  @Get('certificates')
  endingCertificates(): Promise<EndingCertificate[]> {
    return this.certificates.list();
  }

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

/** Actions of people on call in the portal. auth-session asserts who they are. */
@Controller('internal/portal/endpoints')
export class PortalEndpointsController {
  constructor(private readonly endpoints: PauseEndpoint) {}

  @Post('pause')
  @HttpCode(200)
  pause(@Body() body: EndpointPauseBody, @OfPerson() { actor }: ActingPerson): Promise<PortalAnswer<EndpointPause>> {
    return answered(() => this.endpoints.pause(body, `portal ${actor}`));
  }

  @Post('resume')
  @HttpCode(200)
  resume(@Body() { pauseId }: PortalResumeBody, @OfPerson() { actor }: ActingPerson): Promise<PortalAnswer<EndpointPause>> {
    return answered(() => this.endpoints.resume(pauseId, `portal ${actor}`));
  }
}
