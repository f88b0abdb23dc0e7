import { type EndpointPauseRequest, IsId, type PortalPauseRequest, type PortalResumeRequest } from '@paycode/dto';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Length, Matches, Min } from 'class-validator';

const merchantsMax = 500;

/** Body of POST /internal/endpoints. */
export class MerchantsBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(merchantsMax)
  @IsId({ each: true })
  merchantIds!: number[];
}

/** Body of POST /internal/endpoints/pauses. */
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

/** Body of POST /internal/portal/endpoints/pause. */
export class PortalPauseBody extends EndpointPauseBody implements PortalPauseRequest {
  @IsString()
  @Length(1, 200)
  actor!: string;
}

/** Body of POST /internal/portal/endpoints/resume. */
export class PortalResumeBody implements PortalResumeRequest {
  @IsId()
  pauseId!: number;

  @IsString()
  @Length(1, 200)
  actor!: string;
}
