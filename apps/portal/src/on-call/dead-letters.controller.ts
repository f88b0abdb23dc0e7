import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { deadLettersMax } from '@paycode/dto';
import { FromDigits } from '@paycode/service-runtime';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { RequestReport } from '../four-eyes/four-eyes.service';
import { AskedBy, type Asking, Needs } from '../sessions/portal.guard';
import { CurrentPasswordBody } from '../sign-in/password.service';
import { type LetterService, letterServices } from './domain/dead-letter';
import {
  type LettersPage,
  type PreviewedLetter,
  type RedrivenLetter,
  RedriveService,
  type RedriveState,
} from './redrive.service';

export class LettersQuery {
  /** Of one service alone. */
  @IsOptional()
  @IsIn(letterServices)
  service?: LetterService;

  /** With `service`: letters older than this one. */
  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;
}

export class LetterRefBody {
  @IsIn(letterServices)
  service!: LetterService;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  letterId!: number;
}

export class LettersBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(deadLettersMax)
  @ValidateNested({ each: true })
  @Type(() => LetterRefBody)
  letters!: LetterRefBody[];
}

export class RedriveRequestBody extends LettersBody {
  /** The person's own password. */
  @IsString()
  @Length(1, 1_000)
  current!: string;
}

export class RedriveConfirmBody extends CurrentPasswordBody {
  @IsUUID()
  requestId!: string;
}

/** Dead letters of every service, for people on call: seen without payload, and redriven, in production by two. */
@Controller('console/api/on-call/dead-letters')
export class DeadLettersController {
  constructor(private readonly redriving: RedriveService) {}

  @Get()
  @Needs('ON_CALL')
  list(@Query() query: LettersQuery, @AskedBy() asking: Asking): Promise<LettersPage> {
    return this.redriving.list(query, asking);
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
  async preview(@Body() { letters }: LettersBody, @AskedBy() { proof }: Asking): Promise<PreviewedLetter[]> {
    return this.redriving.preview(await this.redriving.find(letters, proof));
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
