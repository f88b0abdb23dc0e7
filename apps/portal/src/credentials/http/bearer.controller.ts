import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { PortalAccount } from '@paycode/dto';
import type { AskedReport } from '../../four-eyes/four-eyes.service';
import { AskedBy, type Asking, Needs } from '../../sessions/http/portal-request';
import { BearerSwitchService } from '../bearer-switch.service';
import { type SwitchOverview, TwoPersonSwitchService } from '../two-person-switch.service';
import { BearerConfirmBody, BearerSwitchBody } from './credentials.dto';

/** The one-way switch to session tokens: by one person in the sandbox, by two in production. */
@Controller('console/api/credentials/bearer')
export class BearerController {
  constructor(
    private readonly alone: BearerSwitchService,
    private readonly byTwo: TwoPersonSwitchService,
  ) {}

  @Get()
  show(@AskedBy() asking: Asking): Promise<SwitchOverview> {
    return this.byTwo.show(asking);
  }

  @Post()
  @HttpCode(200)
  @Needs('CREDENTIALS')
  switch(@Body() body: BearerSwitchBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.alone.switch(body, asking);
  }

  @Post('request')
  @HttpCode(201)
  @Needs('CREDENTIALS')
  ask(@Body() body: BearerSwitchBody, @AskedBy() asking: Asking): Promise<AskedReport> {
    return this.byTwo.ask(body, asking);
  }

  @Post('confirm')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  confirm(@Body() body: BearerConfirmBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.byTwo.confirm(body, asking);
  }
}
