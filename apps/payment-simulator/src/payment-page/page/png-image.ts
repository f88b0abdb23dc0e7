import { crc32, deflateSync } from 'node:zlib';

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
  const rows = Array.from({ length: bitmap.size }, (_, row) => repeated(rowOf(bitmap, row, scale), scale)).flat();
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

function repeated(row: Buffer, times: number): Buffer[] {
  return Array.from({ length: times }, () => row);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
