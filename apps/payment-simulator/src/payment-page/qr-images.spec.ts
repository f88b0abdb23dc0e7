import type { FastifyReply } from 'fastify';
import { inflateSync } from 'node:zlib';
import { create } from 'qrcode';
import type { CodesService, CodeUrls } from '../codes/codes.service';
import { QrImageController } from './payment-page.controller';
import { drawQrImage, type ImageFormat, QrImages } from './qr-images';

const text = 'https://pay.example.com/public/pay/0123456789';

/** Blackness of the pixels of a one-bit greyscale PNG, as this test reads the standard. */
function pixelsOf(png: Buffer): boolean[][] {
  const width = png.readUInt32BE(16);
  const length = png.readUInt32BE(33);
  const rowBytes = 1 + Math.ceil(width / 8);
  const rows = inflateSync(png.subarray(41, 41 + length));
  return Array.from({ length: width }, (_, y) =>
    Array.from({ length: width }, (_row, x) => (rows[y * rowBytes + 1 + (x >> 3)]! & (0x80 >> (x & 7))) === 0),
  );
}

describe('QR images', () => {
  it('a PNG shows every point of the symbol in a quiet zone of four points (R-5.5-1)', async () => {
    const pixels = pixelsOf(await drawQrImage(text, 'png'));
    const { modules } = create(text, { errorCorrectionLevel: 'M' });
    const scale = pixels.length / (modules.size + 8);
    expect(scale).toBe(8);
    const points = Array.from({ length: modules.size + 8 }, (_, row) =>
      Array.from({ length: modules.size + 8 }, (_row, column) => pixels[row * scale + 5]![column * scale + 5]),
    );
    const inside = points.slice(4, -4).map(row => row.slice(4, -4));
    expect(inside).toEqual(
      Array.from({ length: modules.size }, (_, row) =>
        Array.from({ length: modules.size }, (_row, column) => modules.get(row, column) === 1),
      ),
    );
    expect(points.flat().filter(Boolean)).toHaveLength(inside.flat().filter(Boolean).length);
  });

  it('are drawn once for any number of calls, also at the same time, and 1,000 of them are kept (T-40)', async () => {
    const drawn: string[] = [];
    const images = new QrImages((of, format) => {
      drawn.push(`${of} ${format}`);
      return Promise.resolve(Buffer.from(of));
    });
    await Promise.all(Array.from({ length: 50 }, () => images.of('a', 'png')));
    await images.of('a', 'svg');
    expect(drawn).toEqual(['a png', 'a svg']);
    for (let at = 0; at < 998; at++) await images.of(`other ${at}`, 'png');
    await images.of('a', 'png');
    expect(drawn).toHaveLength(1_000);
    await images.of('one more', 'png');
    await images.of('a', 'png');
    expect(drawn).toHaveLength(1_001);
    await images.of('a', 'svg');
    expect(drawn).toHaveLength(1_002);
  });

  it('are not kept when they could not be drawn', async () => {
    let calls = 0;
    const images = new QrImages(() => (++calls === 1 ? Promise.reject(new Error('no')) : Promise.resolve(Buffer.from('image'))));
    await expect(images.of('a', 'png')).rejects.toThrow('no');
    expect(String(await images.of('a', 'png'))).toBe('image');
  });

  it.each([
    ['0123456789', 'png', 'image/png'],
    ['0123456789.png', 'png', 'image/png'],
    ['0123456789.svg', 'svg', 'image/svg+xml'],
  ])('the route answers %s with the cached image, and draws none itself (T-40)', async (file, kept, contentType) => {
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
