import { Body, Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import { ExactNumber, type Identity, parseExactJson } from '@paycode/dto';
import type { FastifyReply } from 'fastify';
import { CodeUrls } from '../code-urls';
import { type CodeRequest, CreateCodeService } from '../create-code.service';
import { codeStateOf } from '../domain/code';
import { type CodeWithMerchant, ReadCodesService } from '../read-codes.service';
import { CreateCodeBody, QueryReferenceBody } from './code-bodies';
import { referenceAnswer } from './reference-answer';

const amountField: ReadonlySet<string> = new Set(['amount']);

/** Codes of merchants: `/pluto/code/**`, role EXTERNAL (R-5.5-2). */
@Controller('pluto/code')
@UseGuards(IdentityGuard)
export class CodesController {
  constructor(
    private readonly createCode: CreateCodeService,
    private readonly readCodes: ReadCodesService,
    private readonly urls: CodeUrls,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(
    @Body() body: CreateCodeBody,
    @Req() request: { rawBody?: string; identity: Identity },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { code: made, isRepeat } = await this.createCode.create(request.identity, codeRequestOf(body, request.rawBody));
    if (isRepeat) void reply.header('idempotent-replayed', 'true');
    return { code: made.code, expiryDate: made.expiresAtMs ?? 0, codeUrl: this.urls.payUrlOf(made.code) };
  }

  @Post('queryRef')
  @HttpCode(200)
  async queryReference(@CallerIdentity() caller: Identity, @Body() body: QueryReferenceBody): Promise<object> {
    const { code, payment } = await this.readCodes.queryReference(caller, body);
    return referenceAnswer(code, payment);
  }

  @Get(':code')
  async read(@CallerIdentity() caller: Identity, @Param('code') code: string): Promise<object> {
    return this.answer(await this.readCodes.ofCaller(caller, code));
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
  return {
    merchantId: body.merchantId ?? undefined,
    merchantReference: body.merchantReference,
    amount: exactAmount(rawBody),
    currencyCode: body.currencyCode,
    expiryDate: body.expiryDate ?? undefined,
    useOnce: body.useOnce ?? true,
    requestTip: body.requestTip ?? false,
    requestContact: body.requestContact ?? false,
    ...textsOf(body),
  };
}

type Texts = 'shortDescription' | 'extraReferenceName' | 'extraReferenceValue';

function textsOf({ shortDescription, extraReferenceName, extraReferenceValue }: CreateCodeBody): Pick<CodeRequest, Texts> {
  return {
    shortDescription: shortDescription ?? null,
    extraReferenceName: extraReferenceName ?? null,
    extraReferenceValue: extraReferenceValue ?? null,
  };
}

/** The digits of `amount` as the client wrote them; validation has checked that it is a number. */
function exactAmount(rawBody: string | undefined): string {
  const { amount } = parseExactJson(rawBody ?? '{}', amountField) as { amount?: ExactNumber };
  return amount?.digits ?? '';
}
