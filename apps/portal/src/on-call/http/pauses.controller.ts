import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';
import { IsInt, IsString, Length, Max, Min } from 'class-validator';
import { AskedBy, type Asking, Needs } from '../../sessions/http/portal-request';
import { type PortalPause, portalPause } from '../domain/endpoint-pause';
import { PauseDeliveriesService } from '../pause-deliveries.service';

class PauseBody {
  @IsInt()
  @Min(1)
  @Max(60)
  minutes!: number;

  @IsString()
  @Length(3, 200)
  reason!: string;
}

/** Deliveries to one endpoint wait, and go on, because somebody on call says so. */
@Controller('console/api/on-call')
export class PausesController {
  constructor(private readonly deliveries: PauseDeliveriesService) {}

  @Post('merchants/:merchantId/pause')
  @Needs('ON_CALL')
  async pause(
    @Param('merchantId') merchantId: string,
    @Body() { minutes, reason }: PauseBody,
    @AskedBy() asking: Asking,
  ): Promise<PortalPause> {
    const asked = { merchantId: idOf('merchantId', merchantId), minutes, reason: reason.trim() };
    return portalPause(await this.deliveries.pause(asked, asking));
  }

  @Post('pauses/:pauseId/end')
  @HttpCode(200)
  @Needs('ON_CALL')
  async resume(@Param('pauseId') pauseId: string, @AskedBy() asking: Asking): Promise<PortalPause> {
    return portalPause(await this.deliveries.resume(idOf('pauseId', pauseId), asking));
  }
}

/** @throws DomainError 400 */
function idOf(field: string, text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw invalidField(field, 'must be a positive integer');
  return id;
}
