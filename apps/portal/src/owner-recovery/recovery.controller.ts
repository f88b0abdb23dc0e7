import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { IsIn, IsString, IsUUID, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { PersonBody } from '../people/people.controller';
import { AskedBy, type Asking, Needs } from '../sessions/portal.guard';
import { type RecoveryReport, recoveredTenants, type Tenant, type WantedRecovery } from './domain/recovery';
import { type Operator, RecoveryService } from './recovery.service';

export class RecoveryBody extends PersonBody implements WantedRecovery {
  @IsIn(recoveredTenants)
  tenantType!: Tenant['tenantType'];

  @IsString()
  @Length(1, 100)
  tenantId!: string;

  @Matches(/^[^\p{C}]*\S[^\p{C}]*$/u, { message: 'reason must be one line of text' })
  @Length(1, 200)
  reason!: string;
}

export class RecoveryParam {
  @IsUUID()
  recoveryId!: string;
}

export interface OpenRecovery {
  recovery: RecoveryReport | null;
}

type OperatorRequest = FastifyRequest & { subject?: string };

/** Operators' commands let a new owner into an account whose owners are gone. It takes two operators. */
@Controller('internal/owner-recoveries')
export class OperatorRecoveryController {
  constructor(private readonly recoveries: RecoveryService) {}

  /** The latest 100. */
  @Get()
  list(): Promise<RecoveryReport[]> {
    return this.recoveries.list();
  }

  @Post()
  @HttpCode(201)
  ask(@Body() body: RecoveryBody, @Req() request: OperatorRequest): Promise<RecoveryReport> {
    return this.recoveries.ask(body, operatorOf(request));
  }

  @Post(':recoveryId/confirm')
  @HttpCode(200)
  confirm(@Param() { recoveryId }: RecoveryParam, @Req() request: OperatorRequest): Promise<RecoveryReport> {
    return this.recoveries.confirm(recoveryId, operatorOf(request));
  }

  @Post(':recoveryId/withdraw')
  @HttpCode(200)
  withdraw(@Param() { recoveryId }: RecoveryParam, @Req() request: OperatorRequest): Promise<RecoveryReport> {
    return this.recoveries.withdraw(recoveryId, operatorOf(request));
  }
}

/** Owners see that somebody else is to become an owner, and refuse it. A stolen session can delay by it, and no more. */
@Controller('console/api/owner-recovery')
export class OwnerRecoveryController {
  constructor(private readonly recoveries: RecoveryService) {}

  @Get()
  @Needs('INVITE')
  async open(@AskedBy() asking: Asking): Promise<OpenRecovery> {
    return { recovery: await this.recoveries.openFor(asking) };
  }

  @Post(':recoveryId/refuse')
  @HttpCode(204)
  @Needs('INVITE')
  refuse(@Param() { recoveryId }: RecoveryParam, @AskedBy() asking: Asking): Promise<void> {
    return this.recoveries.refuse(recoveryId, asking);
  }
}

function operatorOf({ ip, id, subject }: OperatorRequest): Operator {
  if (subject === undefined) throw new Error('the call of an operator names no subject');
  return { subject, origin: { address: ip, userAgent: 'operator', requestId: String(id) } };
}
