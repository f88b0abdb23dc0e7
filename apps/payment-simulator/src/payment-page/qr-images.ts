import { crc32, deflateSync } from 'node:zlib';
import { create, toString } from 'qrcode';
import { BoundedMap } from '@paycode/service-runtime/timing';

export type ImageFormat = 'png' | 'svg';

/** Images kept; each is some 2 KiB. */
const keptMax = 1_000;
/** Points of quiet zone around the symbol (ISO/IEC 18004). */
const quiet = 4;
/** Pixels of a point: 41 points, with the quiet zone, make 328. */
const scale = 8;
const errorCorrectionLevel = 'M';

/**
 * QR images of texts. Anybody may request them without credentials, any number of times, and drawing blocks the event loop, which also
 * completes payments. So the last images are kept.
 */
export class QrImages {
  /** In order of use, the least recently used first. */
  private readonly kept = new BoundedMap<string, Promise<Buffer>>(keptMax);

  constructor(private readonly draw: (text: string, format: ImageFormat) => Promise<Buffer> = drawQrImage) {}

  /** The image; concurrent calls for the same image share one drawing. */
  of(text: string, format: ImageFormat): Promise<Buffer> {
    const key = `${format} ${text}`;
    const image = this.kept.get(key) ?? this.draw(text, format);
    this.kept.set(key, image);
    image.catch(() => this.kept.delete(key));
    return image;
  }
}

export async function drawQrImage(text: string, format: ImageFormat): Promise<Buffer> {
  if (format === 'svg') return Buffer.from(await toString(text, { type: 'svg', errorCorrectionLevel }));
  const { modules } = create(text, { errorCorrectionLevel });
  const isInside = (at: number): boolean => at >= quiet && at < modules.size + quiet;
  const isBlack = (row: number, column: number): boolean =>
    isInside(row) && isInside(column) && modules.get(row - quiet, column - quiet) === 1;
  return pngOf({ size: modules.size + 2 * quiet, isBlack }, scale);
}

/** Square black-and-white picture: true is black, row by row. */
export interface Bitmap {
  size: number;
  isBlack(row: number, column: number): boolean;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** PNG of one bit per pixel (ISO/IEC 15948, colour type 0): each point of the bitmap `scale` pixels wide and high. */
export function pngOf(bitmap: Bitmap, scale: number): Buffer {
  const width = bitmap.size * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  // Bit depth 1, greyscale, deflate, no interlace; the rest stays 0.
  header.writeUInt8(1, 8);
  const rows = Array.from({ length: bitmap.size }, (_, row) => Array<Buffer>(scale).fill(rowOf(bitmap, row, scale))).flat();
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND')]);
}

/** A filter byte (none), then eight pixels a byte; 1 is white. */
function rowOf({ size, isBlack }: Bitmap, row: number, scale: number): Buffer {
  const bytes = Buffer.alloc(1 + Math.ceil((size * scale) / 8));
  for (let x = 0; x < size * scale; x++) {
    if (!isBlack(row, Math.floor(x / scale))) bytes[1 + (x >> 3)]! |= 0x80 >> (x & 7);
  }
  return bytes;
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
