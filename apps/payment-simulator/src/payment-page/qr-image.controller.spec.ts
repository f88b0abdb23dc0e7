import type { FastifyReply } from 'fastify';
import type { CodesService, CodeUrls } from '../codes/codes.service';
import { QrImageController } from './qr-image.controller';
import type { ImageFormat, QrImages } from './qr-images';

describe('the route of QR images', () => {
  it.each([
    ['0123456789', 'png', 'image/png'],
    ['0123456789.png', 'png', 'image/png'],
    ['0123456789.svg', 'svg', 'image/svg+xml'],
  ])('answers %s with the cached image, and draws none itself (T-40)', async (file, kept, contentType) => {
    const readCodes = { ofAnybody: (code: string) => Promise.resolve({ code: { code } }) } as unknown as CodesService;
    const urls = { payUrlOf: (code: string) => `pay/${code}` } as unknown as CodeUrls;
    const images = { of: (text: string, format: ImageFormat) => Promise.resolve(`${format} of ${text}`) } as unknown as QrImages;
    const sent: unknown[] = [];
    const reply = {
      headers: () => reply,
      type: (text: string) => (sent.push(text), reply),
      send: (image: unknown) => (sent.push(image), reply),
    } as unknown as FastifyReply;
    await new QrImageController(readCodes, urls, images).image(file, reply);
    expect(sent).toEqual([contentType, `${kept} of pay/0123456789`]);
  });
});
