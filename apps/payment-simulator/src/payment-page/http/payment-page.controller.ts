import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ExactNumber, parseExactJson } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeStateOf, PayCodeService, ReadCodesService } from '../../codes';
import { payScript } from '../page/pay-script';
import { payIcon, payStyle } from '../page/pay-style';
import { payerOf } from '../page/payer';
import { paymentPage, unknownCodePage } from '../page/payment-page';
import { PaymentBody } from './payment-body';

const tipField: ReadonlySet<string> = new Set(['tipAmount']);

/** Only this origin's own script, style and images; nothing may frame the page. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  vary: 'accept-language',
};

/** The payment page: works without credentials (R-5.5-1), for people who have a code. */
@Controller('public')
export class PaymentPageController {
  constructor(
    private readonly readCodes: ReadCodesService,
    private readonly payCode: PayCodeService,
  ) {}

  @Get('pay/:code')
  async page(@Param('code') code: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.headers(pageHeaders);
    const { lang } = request.query as { lang?: unknown };
    const payer = payerOf({ acceptLanguage: request.headers['accept-language'], wish: lang });
    try {
      const found = await this.readCodes.ofAnybody(code);
      const state = codeStateOf(found.code, Date.now());
      void reply.send(paymentPage({ code: found.code, state, merchantName: found.merchant.merchantName }, payer));
    } catch (error) {
      if (!(error instanceof DomainError) || error.status !== 404) throw error;
      void reply.status(404).send(unknownCodePage(payer));
    }
  }

  @Post('pay/:code')
  @HttpCode(200)
  async pay(@Param('code') code: string, @Body() body: PaymentBody, @Req() request: { rawBody?: string }): Promise<object> {
    const { transactionId, status } = await this.payCode.pay({
      code,
      txState: body.outcome,
      clientMsisdn: body.clientMsisdn,
      tipAmount: exactTip(request.rawBody),
      clientContact: body.clientContact ?? null,
    });
    return { transactionId, status };
  }

  @Get('assets/pay.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): string {
    return payScript;
  }

  @Get('assets/pay.css')
  @Header('content-type', 'text/css; charset=utf-8')
  style(): string {
    return payStyle;
  }

  @Get('assets/icon.svg')
  @Header('content-type', 'image/svg+xml')
  icon(): string {
    return payIcon;
  }
}

function exactTip(rawBody: string | undefined): string | null {
  const { tipAmount } = parseExactJson(rawBody ?? '{}', tipField) as { tipAmount?: ExactNumber | null };
  return tipAmount?.digits ?? null;
}
