import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { WithoutCardNumber } from '@paycode/dto';
import { IsBoolean, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { SandboxCodeBody } from '../sandbox/sandbox.controller';
import { type MadeCode, SandboxService } from '../sandbox/sandbox.service';
import type { OpenedSession } from '../sessions/domain/session';
import { AskedBy, type Asking, Needs, SignedIn } from '../sessions/portal.guard';
import { type CodePayments, TillService } from './till.service';

/** The last instant a Date can be (ECMA-262, time values). */
const instantMaxMs = 8_640_000_000_000_000;

export class TillCodeBody extends SandboxCodeBody {
  /** One code is made of it, however often the button is pressed. */
  @IsString()
  @Length(1, 45)
  @WithoutCardNumber('reference')
  merchantReference!: string;

  @IsOptional()
  @IsString()
  @MaxLength(45)
  @WithoutCardNumber()
  shortDescription?: string;

  /** Milliseconds since 1970; 0: never. */
  @IsInt()
  @Min(0)
  @Max(instantMaxMs)
  expiryDate!: number;

  @IsBoolean()
  useOnce!: boolean;

  @IsBoolean()
  requestTip!: boolean;
}

/** A merchant takes a payment face to face: a code on a screen, and what became of it. */
@Controller('console/api/till/codes')
export class TillController {
  constructor(
    private readonly codes: SandboxService,
    private readonly till: TillService,
  ) {}

  @Post()
  @HttpCode(200)
  @Needs('TEST')
  makeCode(@Body() body: TillCodeBody, @AskedBy() asking: Asking): Promise<MadeCode> {
    return this.codes.makeCode(body, asking);
  }

  /** The latest payments by this code, the newest first. */
  @Get(':code')
  payments(@Param('code') code: string, @SignedIn() { person }: OpenedSession): Promise<CodePayments> {
    return this.till.paymentsOf(code, person);
  }
}
