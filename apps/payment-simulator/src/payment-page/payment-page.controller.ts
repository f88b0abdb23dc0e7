import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WithoutCardNumber } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { CodePaymentsService, type PaidCode } from '../codes/code-payments.service';
import { CodesService, CodeUrls } from '../codes/codes.service';
import { codeStateOf } from '../codes/domain/code';
import { IsAmount, writtenAmount } from '../codes/written-amount';
import { countryCodes } from '../transactions/domain/country';
import { payIcon, payScript, payStyle } from './pay-assets';
import { payerOf } from './payer';
import { type Outcome, outcomeStates, paymentPage, unknownCodePage } from './payment-page';
import { type ImageFormat, QrImages } from './qr-images';

const text = 255;
const notBlank = /\S/;
/** Nobody guesses one of the page, which has 128 random bits. */
const keyForm = /^[\w-]{22,64}$/;
const keyRule = 'idempotencyKey must be 22 to 64 letters, digits, _ and -';

/** Contact data that a person gives to the merchant, all of it or none. */
export class ContactBody {
  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  firstName!: string;

  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  lastName!: string;

  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  emailAddress!: string;

  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber('telephone')
  phoneNumber!: string;

  @IsIn(countryCodes, { message: 'country must be an ISO 3166-1 alpha-2 code' })
  country!: string;
}

/** Body that the payment page sends. */
export class PaymentBody {
  @IsIn(outcomeStates)
  outcome!: Outcome;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'clientMsisdn must be a number in international format' })
  @WithoutCardNumber('telephone')
  clientMsisdn!: string;

  /** Its exact digits are read from the body as received. */
  @IsOptional()
  @IsAmount()
  tipAmount?: unknown;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ContactBody)
  clientContact?: ContactBody;

  /** One press of the button: sent again, it is the same payment, and its result is found by it. */
  @IsOptional()
  @Matches(keyForm, { message: keyRule })
  idempotencyKey?: string;
}

class PressParameters {
  @Matches(/^\d{10}$/, { message: 'code must have 10 digits' })
  code!: string;

  @Matches(keyForm, { message: keyRule })
  idempotencyKey!: string;
}

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
    private readonly codes: CodesService,
    private readonly payments: CodePaymentsService,
  ) {}

  @Get('pay/:code')
  async page(@Param('code') code: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.headers(pageHeaders);
    const { lang } = request.query as { lang?: unknown };
    const payer = payerOf({ acceptLanguage: request.headers['accept-language'], wish: lang });
    try {
      const found = await this.codes.ofAnybody(code);
      const state = codeStateOf(found.code, Date.now());
      void reply.send(paymentPage({ code: found.code, state, merchantName: found.merchant.merchantName }, payer));
    } catch (error) {
      if (!(error instanceof DomainError) || error.status !== 404) throw error;
      void reply.status(404).send(unknownCodePage(payer));
    }
  }

  @Post('pay/:code')
  @HttpCode(200)
  async pay(@Param('code') code: string, @Body() body: PaymentBody, @Req() request: { rawBody?: string }): Promise<PaidCode> {
    return this.payments.pay({
      code,
      idempotencyKey: body.idempotencyKey ?? null,
      txState: body.outcome,
      clientMsisdn: body.clientMsisdn,
      tipAmount: writtenAmount(body.tipAmount, 'tipAmount', request.rawBody),
      clientContact: body.clientContact ?? null,
    });
  }

  /** For a page whose answer was lost. */
  @Get('pay/:code/payments/:idempotencyKey')
  @Header('cache-control', 'no-store')
  ofPress(@Param() { code, idempotencyKey }: PressParameters): Promise<PaidCode> {
    return this.payments.ofPress(code, idempotencyKey);
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

/** QR images of codes, for printing and showing: works without credentials (R-5.5-1). */
@Controller('public/qr')
export class QrImageController {
  constructor(
    private readonly codes: CodesService,
    private readonly urls: CodeUrls,
    private readonly images: QrImages,
  ) {}

  /** `/public/qr/0123456789` and `.png` give PNG, `.svg` gives SVG. */
  @Get(':file')
  async image(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    const { name, format } = split(file);
    const { code } = await this.codes.ofAnybody(name);
    const image = await this.images.of(this.urls.payUrlOf(code.code), format);
    void reply.headers({
      'cache-control': 'public, max-age=300',
      // An SVG opened by itself is a document: it must not run anything.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    });
    void reply.type(format === 'svg' ? 'image/svg+xml' : 'image/png').send(image);
  }
}

function split(file: string): { name: string; format: ImageFormat } {
  const match = /^(.*)\.(png|svg)$/.exec(file);
  return { name: match?.[1] ?? file, format: match?.[2] === 'svg' ? 'svg' : 'png' };
}
