import { create, toString } from 'qrcode';
import { pngOf } from './png-image';

export type ImageFormat = 'png' | 'svg';

/** Images kept; each is some 2 KiB. */
const keptMax = 1_000;
/** Points of quiet zone around the symbol (ISO/IEC 18004). */
const quiet = 4;
/** Pixels of a point: 41 points, with the quiet zone, make 328. */
const scale = 8;
const errorCorrectionLevel = 'M';

/**
 * QR images of texts. Anybody may ask for them without credentials, any number of times, and the drawing blocks the loop that also completes
 * payments: so the last ones drawn are kept.
 */
export class QrImages {
  /** In order of use, the least recently used first. */
  private readonly kept = new Map<string, Promise<Buffer>>();

  constructor(private readonly draw: (text: string, format: ImageFormat) => Promise<Buffer> = drawQrImage) {}

  /** The image; calls for one that is just being drawn share it. */
  of(text: string, format: ImageFormat): Promise<Buffer> {
    const key = `${format} ${text}`;
    const image = this.kept.get(key) ?? this.draw(text, format);
    this.kept.delete(key);
    this.kept.set(key, image);
    if (this.kept.size > keptMax) this.kept.delete(this.kept.keys().next().value!);
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
