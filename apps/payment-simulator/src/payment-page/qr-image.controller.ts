import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CodesService, CodeUrls } from '../codes/codes.service';
import { type ImageFormat, QrImages } from './qr-images';

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
