import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { RequestReport } from '../../four-eyes/four-eyes.service';
import { AskedBy, type Asking, Needs } from '../../sessions/http/portal-request';
import { type LettersPage, type PreviewedLetter, ReadLettersService } from '../read-letters.service';
import { RedriveLettersService, type RedrivenLetter, type RedriveState } from '../redrive-letters.service';
import { LettersBody, LettersQuery, RedriveConfirmBody, RedriveRequestBody } from './dead-letters.dto';

/** Dead letters of every service, for people on call: seen without payload, and redriven, in production by two. */
@Controller('console/api/on-call/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly shown: ReadLettersService,
    private readonly redriving: RedriveLettersService,
  ) {}

  @Get()
  @Needs('ON_CALL')
  list(@Query() query: LettersQuery): Promise<LettersPage> {
    return this.shown.list(query);
  }

  /** How a redrive is made here, and what waits for a second person. */
  @Get('redrive')
  @Needs('ON_CALL')
  overview(@AskedBy() asking: Asking): Promise<RedriveState> {
    return this.redriving.overview(asking);
  }

  @Post('preview')
  @HttpCode(200)
  @Needs('ON_CALL')
  async preview(@Body() { letters }: LettersBody): Promise<PreviewedLetter[]> {
    return this.shown.preview(await this.shown.find(letters));
  }

  @Post('redrive')
  @HttpCode(200)
  @Needs('ON_CALL')
  redrive(@Body() { letters }: LettersBody, @AskedBy() asking: Asking): Promise<RedrivenLetter[]> {
    return this.redriving.redrive(letters, asking);
  }

  @Post('request')
  @HttpCode(201)
  @Needs('ON_CALL')
  ask(@Body() body: RedriveRequestBody, @AskedBy() asking: Asking): Promise<RequestReport> {
    return this.redriving.ask(body, asking);
  }

  @Post('confirm')
  @HttpCode(200)
  @Needs('ON_CALL')
  confirm(@Body() body: RedriveConfirmBody, @AskedBy() asking: Asking): Promise<RedrivenLetter[]> {
    return this.redriving.confirm(body, asking);
  }
}
