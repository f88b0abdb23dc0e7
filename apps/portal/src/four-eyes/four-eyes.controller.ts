import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import { AskedBy, type Asking } from '../sessions/portal.guard';
import { FourEyesService } from './four-eyes.service';

export class RequestParam {
  @IsUUID()
  requestId!: string;
}

/** Ends a request, whatever it is for. Asking and confirming are routes of what is asked for. */
@Controller('console/api/four-eyes')
export class FourEyesController {
  constructor(private readonly fourEyes: FourEyesService) {}

  @Post(':requestId/withdraw')
  @HttpCode(204)
  async withdraw(@Param() { requestId }: RequestParam, @AskedBy() asking: Asking): Promise<void> {
    await this.fourEyes.withdraw(requestId, asking);
  }

  @Post(':requestId/refuse')
  @HttpCode(204)
  async refuse(@Param() { requestId }: RequestParam, @AskedBy() asking: Asking): Promise<void> {
    await this.fourEyes.refuse(requestId, asking);
  }
}
