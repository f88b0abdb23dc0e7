import { Body, Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import { ExactNumber, type Identity, parseExactJson } from '@paycode/dto';
import { CodeUrls } from '../code-urls';
import { CreateCode } from '../create-code.service';
import { codeStateOf } from '../domain/code';
import { type CodeWithMerchant, ReadCodes } from '../read-codes.service';
import { CreateCodeBody, QueryReferenceBody } from './code-bodies';
import { referenceAnswer } from './reference-answer';

const amountField: ReadonlySet<string> = new Set(['amount']);

/** Codes of merchants: `/pluto/code/**`, role EXTERNAL (R-5.5-2). */
@Controller('pluto/code')
@UseGuards(IdentityGuard)
export class CodesController {
  constructor(
    private readonly createCode: CreateCode,
    private readonly readCodes: ReadCodes,
    private readonly urls: CodeUrls,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(
    @CallerIdentity() caller: Identity,
    @Body() body: CreateCodeBody,
    @Req() request: { rawBody?: string },
  ): Promise<object> {
    const { code, expiresAtMs } = await this.createCode.create(caller, {
      merchantId: body.merchantId,
      merchantReference: body.merchantReference,
      amount: exactAmount(request.rawBody),
      currencyCode: body.currencyCode,
      expiryDate: body.expiryDate,
      useOnce: body.useOnce ?? true,
      shortDescription: body.shortDescription ?? null,
      requestTip: body.requestTip ?? false,
      requestContact: body.requestContact ?? false,
      extraReferenceName: body.extraReferenceName ?? null,
      extraReferenceValue: body.extraReferenceValue ?? null,
    });
    return { code, expiryDate: expiresAtMs ?? 0, codeUrl: this.urls.payUrlOf(code) };
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

/** The digits of `amount` as the client wrote them; validation has seen that it is a number. */
function exactAmount(rawBody: string | undefined): string {
  const { amount } = parseExactJson(rawBody ?? '{}', amountField) as { amount?: ExactNumber };
  return amount?.digits ?? '';
}
