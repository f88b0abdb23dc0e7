import { Body, Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import { currencyCodes, ExactNumber, type FollowUp, followUps, type Identity, WithoutCardNumber } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { NotifiedTransaction } from '../transactions/domain/transaction';
import { CodePaymentsService, type SimulatedTransaction } from './code-payments.service';
import { type CodeRequest, CodesService, CodeUrls, type CodeWithMerchant } from './codes.service';
import { codeStateOf, type PaymentCode } from './domain/code';
import { IsAmount, writtenAmount } from './written-amount';

const idMax = Number.MAX_SAFE_INTEGER;
/** The last instant a Date can be (ECMA-262, time values). */
const instantMaxMs = 8_640_000_000_000_000;

/** Body of createCode. */
export class CreateCodeBody {
  /** Required for a PSP; a merchant may leave it out. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(idMax)
  merchantId?: number;

  @IsString()
  @Length(1, 45)
  @WithoutCardNumber('reference')
  merchantReference!: string;

  /** Its exact digits are read from the body as received (A-57). */
  @IsAmount()
  amount!: unknown;

  @IsIn(currencyCodes, { message: 'currencyCode must be an ISO 4217 code' })
  currencyCode!: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(instantMaxMs)
  expiryDate?: number;

  @IsOptional()
  @IsBoolean()
  useOnce?: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(45)
  @WithoutCardNumber()
  shortDescription?: string;

  @IsOptional()
  @IsBoolean()
  requestTip?: boolean;

  @IsOptional()
  @IsBoolean()
  requestContact?: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  @WithoutCardNumber()
  extraReferenceName?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  @WithoutCardNumber()
  extraReferenceValue?: string;
}

/** Body of queryRef. */
export class QueryReferenceBody {
  @Matches(/^\d{10}$/, { message: 'code must be 10 digits' })
  code!: string;

  @IsString()
  @Length(1, 45)
  merchantReference!: string;
}

/** Body of a simulation (sandbox). */
export class SimulationBody {
  @IsIn(followUps)
  event!: FollowUp;
}

/** Codes of merchants: `/pluto/code/**`, role EXTERNAL (R-5.5-2). */
@Controller('pluto/code')
@UseGuards(IdentityGuard)
export class CodesController {
  constructor(
    private readonly codes: CodesService,
    private readonly urls: CodeUrls,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(
    @Body() body: CreateCodeBody,
    @Req() request: { rawBody?: string; identity: Identity },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { code: made, isRepeat } = await this.codes.create(request.identity, codeRequestOf(body, request.rawBody));
    if (isRepeat) void reply.header('idempotent-replayed', 'true');
    return { code: made.code, expiryDate: made.expiresAtMs ?? 0, codeUrl: this.urls.payUrlOf(made.code) };
  }

  @Post('queryRef')
  @HttpCode(200)
  async queryReference(@CallerIdentity() caller: Identity, @Body() body: QueryReferenceBody): Promise<object> {
    const { code, payment } = await this.codes.queryReference(caller, body);
    return referenceAnswer(code, payment);
  }

  @Get(':code')
  async read(@CallerIdentity() caller: Identity, @Param('code') code: string): Promise<object> {
    return this.answer(await this.codes.ofCaller(caller, code));
  }

  private answer({ code, merchant }: CodeWithMerchant): object {
    const { expiresAtMs, isUsed: _, ...fields } = code;
    return {
      ...fields,
      merchantName: merchant.merchantName,
      amount: new ExactNumber(code.amount),
      expiryDate: expiresAtMs ?? 0,
      state: codeStateOf(code, Date.now()),
      codeUrl: this.urls.payUrlOf(code.code),
    };
  }
}

function codeRequestOf(body: CreateCodeBody, rawBody: string | undefined): CodeRequest {
  const { amount, merchantId, expiryDate, useOnce, requestTip, requestContact, ...texts } = body;
  return {
    ...{ shortDescription: null, extraReferenceName: null, extraReferenceValue: null, ...texts },
    amount: writtenAmount(amount, 'amount', rawBody) ?? '',
    merchantId: merchantId ?? undefined,
    expiryDate: expiryDate ?? undefined,
    useOnce: useOnce ?? true,
    requestTip: requestTip ?? false,
    requestContact: requestContact ?? false,
  };
}

/** Answer of queryRef: TxState of the latest payment made with the code, `N/A` before there is one. */
function referenceAnswer(code: PaymentCode, payment: NotifiedTransaction | undefined): object {
  const known = { reference: code.merchantReference, currencyCode: code.currencyCode, code: code.code };
  if (!payment) {
    const nothing = { clientMsisdn: null, bankResponse: null, retrievalReferenceNumber: null, authCode: null, date: null };
    return { transactionId: null, ...known, amount: new ExactNumber(code.amount), status: 'N/A', ...nothing };
  }
  const { transaction, notification } = payment;
  return {
    transactionId: transaction.transactionId,
    ...known,
    amount: new ExactNumber(transaction.amount),
    status: transaction.txState,
    clientMsisdn: notification.clientMsisdn,
    bankResponse: notification.bankResponse.bankResponse,
    retrievalReferenceNumber: notification.bankResponse.retrievalReferenceNumber,
    authCode: notification.bankResponse.authCode,
    date: transaction.completedAt,
  };
}

/** Lets a merchant see in the sandbox what otherwise only the core does to a payment. A payment core has no such path. */
@Controller('pluto/code')
@UseGuards(IdentityGuard)
export class SimulationsController {
  constructor(private readonly payments: CodePaymentsService) {}

  @Post(':code/simulations')
  @HttpCode(200)
  simulate(
    @CallerIdentity() caller: Identity,
    @Param('code') code: string,
    @Body() { event }: SimulationBody,
  ): Promise<SimulatedTransaction> {
    return this.payments.simulate(caller, { code, event });
  }
}

/** Body of the Remote API's lookup. */
export class LookupBody {
  /** The code that the wallet scanned. */
  @IsString()
  @Length(1, 2_048)
  value!: string;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'msisdn must be a number in international format' })
  msisdn!: string;
}

/** The wallet-provider Remote API, version 4 (R-4.2-1, R-9-1): any authenticated account. */
@Controller('pluto/remote/v4')
@UseGuards(IdentityGuard)
export class LookupController {
  constructor(
    private readonly codes: CodesService,
    private readonly urls: CodeUrls,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  async lookup(@Body() { value }: LookupBody): Promise<object> {
    const { code, merchant } = await this.codes.ofAnybody(this.urls.codeIn(value));
    if (codeStateOf(code, Date.now()) !== 'LIVE')
      throw new DomainError({ status: 404, reason: 'CODE_NOT_LIVE', message: 'Not Found' });
    return {
      code: code.code,
      merchantId: merchant.merchantId,
      merchantName: merchant.merchantName,
      amount: new ExactNumber(code.amount),
      currencyCode: code.currencyCode,
      shortDescription: code.shortDescription,
      requestTip: code.requestTip,
      requestContact: code.requestContact,
      expiryDate: code.expiresAtMs ?? 0,
    };
  }
}
