import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { toBuffer, toString } from 'qrcode';
import { CodeUrls, ReadCodes } from '../../codes';

/** QR images of codes, for printing and showing: works without credentials (R-5.5-1). */
@Controller('public/qr')
export class QrImageController {
  constructor(
    private readonly readCodes: ReadCodes,
    private readonly urls: CodeUrls,
  ) {}

  /** `/public/qr/0123456789` and `.png` give PNG, `.svg` gives SVG. */
  @Get(':file')
  async image(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    const { name, format } = split(file);
    const { code } = await this.readCodes.ofAnybody(name);
    const url = this.urls.payUrlOf(code.code);
    void reply.headers({
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
      // An SVG opened by itself is a document: it must not run anything.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    });
    if (format === 'svg') void reply.type('image/svg+xml').send(await toString(url, { type: 'svg', errorCorrectionLevel: 'M' }));
    else void reply.type('image/png').send(await toBuffer(url, { type: 'png', errorCorrectionLevel: 'M', width: 320 }));
  }
}

function split(file: string): { name: string; format: 'png' | 'svg' } {
  const match = /^(.*)\.(png|svg)$/.exec(file);
  return { name: match?.[1] ?? file, format: match?.[2] === 'svg' ? 'svg' : 'png' };
}
